/*
 * Which of the caller's own stdin, stdout and stderr may go into a box as they are.
 *
 * Pipes, sockets and harmless devices go in: no byte of theirs passes through us. Files, folders
 * and terminals do not: through /proc/self/fd a box could open a file anew with other rights than
 * it was given (write to what was redirected for reading), walk out of a folder, or read what is
 * typed at the terminal after its command has ended. For those a pipe goes in and we copy.
 */
#pragma once

#include <stddef.h>

#define STDIO_BUFFER 65536

struct screen; /* terminal.h */

/* One direction of copying between two descriptors. */
struct relay {
    int from, to;
    struct screen *screen; /* watches what goes to a terminal; NULL: none */
    char *buffer;          /* STDIO_BUFFER bytes */
    size_t start, end;
    int done; /* nothing more comes */
};

/* TRUE (1) when FD may be given to a box. */
int stdio_harmless(int fd);

/*
 * Fills FDS with what goes into the box for 0, 1 and 2; RELAYS[i].from is -1 where nothing has to
 * be copied. 0, or -1 with errno (EISDIR: a folder).
 */
int stdio_prepare(int fds[3], struct relay relays[3]);
/* Closes in this process what went into the box. */
void stdio_sent(int fds[3]);

/* What poll should look for: the descriptor and events of the next step, fd -1 for none. */
struct pollfd;
void relay_poll(const struct relay *self, struct pollfd *poll);
/* One step after poll said so; never blocks on both ends at once. */
void relay_step(struct relay *self);
/* Copies what is there now, without waiting for more. */
void relay_drain(struct relay *self);
void relay_close(struct relay *self);
