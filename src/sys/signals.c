#include "sys/signals.h"

#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "sys/crash.h"

void signals_reset(void)
{
    sigset_t none;

    /* Fails for SIGKILL and SIGSTOP, which need no reset. */
    for (int number = 1; number < NSIG; number++)
        if (!crash_is_handled(number))
            signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

void signals_end_with(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127); /* PARENT ended before prctl(2) took effect */
}
