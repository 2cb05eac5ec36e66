/*
 * A process that leaves the user's terminal as it was when this one is killed (SIGKILL, as by the
 * kernel when memory is short), and so cannot do that itself. libc only.
 */
#pragma once

#include "session/terminal.h"

/* All zero: there is none. */
struct terminal_rescue {
    pid_t pid;
    int line; /* ends with this process */
};

/* COUNT screens that such a process sees as they are now, all zero; NULL, with errno. */
struct screen *terminal_rescue_screens(size_t count);
void terminal_rescue_free(struct screen *screens, size_t count);

/*
 * Starts it for stdin, if that is a terminal, which is not in raw mode yet, and for N_SCREENS of
 * SCREENS, which terminal_rescue_screens() has made. When that fails, there is none.
 */
void terminal_rescue_begin(struct terminal_rescue *self, struct screen *screens, int n_screens);
/* The terminal is as it was: kills the process, which does nothing any more. */
void terminal_rescue_end(struct terminal_rescue *self);
