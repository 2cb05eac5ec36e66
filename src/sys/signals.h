/* Signals of child processes. libc only. */
#pragma once

#include <sys/types.h>

/* Resets all signals to their default action, unblocked, apart from the crash handler
 * (sys/crash.h), which stays until exec. Async-signal-safe, for use between fork and exec. */
void signals_reset(void);

/* Call in a child of PARENT after fork: SIGKILL ends the child when PARENT ends (PR_SET_PDEATHSIG).
 */
void signals_end_with(pid_t parent);
