/* What a process that outlives its caller must not inherit. */
#pragma once

#include <sys/types.h>

/* Signals as a program expects them: nothing ignored or blocked because the caller happened to. The
 * handler of crashes (sys/crash.h) stays, until exec. Async-signal-safe, for between fork and exec.
 */
void signals_reset(void);

/* For a child of PARENT, behind fork: it ends with it, by SIGKILL, whatever becomes of that. */
void signals_end_with(pid_t parent);
