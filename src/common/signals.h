/* What a process that outlives its caller must not inherit. */
#pragma once

/* Signals as a program expects them: nothing ignored or blocked because the caller happened to.
 * Async-signal-safe, for between fork and exec. */
void signals_reset(void);
