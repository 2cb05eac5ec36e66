/* Signals that are read from a descriptor, and signals of child processes. libc only. */
#pragma once

#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/types.h>
#include <unistd.h>

#include "sys/crash.h"

/*
 * Blocks the COUNT signals NUMBERS and returns a descriptor, close-on-exec and non-blocking, from
 * which they are read (signalfd(2)); -1 with errno. HOW: SIG_BLOCK, or SIG_SETMASK to block only
 * these.
 */
static inline int signals_watch(int how, const int *numbers, size_t count)
{
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < count; i++)
        sigaddset(&set, numbers[i]);
    sigprocmask(how, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Resets all signals to their default action, unblocked, apart from the crash handler
 * (sys/crash.h), which stays until exec. Async-signal-safe, for use between fork and exec. */
static inline void signals_reset(void)
{
    sigset_t none;

    /* Fails for SIGKILL and SIGSTOP, which need no reset. */
    for (int number = 1; number < NSIG; number++)
        if (!crash_is_handled(number))
            signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Call in a child of PARENT after fork: SIGKILL ends the child when PARENT ends (PR_SET_PDEATHSIG).
 */
static inline void signals_end_with(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127); /* PARENT ended before prctl(2) took effect */
}
