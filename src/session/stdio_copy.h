/*
 * Which of the caller's own stdin, stdout and stderr may go into a box as they are.
 *
 * Pipes, sockets and harmless devices go in: no byte of theirs passes through us. Files, folders
 * and terminals do not: through /proc/self/fd a box could open a file anew with other rights than
 * it was given (write to what was redirected for reading), walk out of a folder, or read what is
 * typed at the terminal after its command has ended. For those a pipe goes in and we copy.
 */
#pragma once

#include "net/stream_relay.h"

struct pollfd;
struct screen; /* terminal.h */

/* Copies between one of the caller's files and the pipe that went into the box for it. */
struct stdio_copy {
    struct pump pump;      /* pump.from is -1 where nothing has to be copied */
    struct screen *screen; /* watches what goes to a terminal; NULL: none */
};

/*
 * Fills FDS with what goes into the box for 0, 1 and 2, and COPIES with what has to be copied. 0,
 * or -1 with errno (EISDIR: a folder).
 */
int stdio_copy_prepare(int fds[3], struct stdio_copy copies[3]);
/* Closes in this process what went into the box. */
void stdio_copy_sent(int fds[3]);

/* What to wait for before the next step: descriptor and events; fd is -1 for nothing. */
struct pollfd stdio_copy_poll(const struct stdio_copy *self);
/* Reads or writes, once what stdio_copy_poll() says is there. */
void stdio_copy_step(struct stdio_copy *self);
/* Copies what is there now, without waiting for more. */
void stdio_copy_drain(struct stdio_copy *self);
void stdio_copy_close(struct stdio_copy *self);
