#include "common/signals.h"

#include <signal.h>
#include <stddef.h>

void signals_reset(void)
{
    sigset_t none;

    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL); /* fails for KILL and STOP, which need no reset */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}
