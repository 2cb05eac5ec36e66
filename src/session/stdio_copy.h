/*
 * Stdin, stdout and stderr for a session without a pty. libc only.
 *
 * Pipes, sockets and harmless devices are passed into the box. Files, folders and terminals are
 * not: through /proc/self/fd a box could reopen a file with other rights (write to one that was
 * redirected for reading), leave a folder, or read from the terminal after its command has ended.
 * In their place the box gets a pipe, and we copy.
 */
#pragma once

#include <poll.h>

#include "net/stream_relay.h"
#include "session/terminal.h"

/* Copies between one of the caller's files and the pipe that the box got for it. */
struct stdio_copy {
    struct pump pump;      /* pump.from is -1 when nothing has to be copied */
    struct screen *screen; /* shows what goes to a terminal; NULL: PUMP.to is none */
    /* Gets what FD writes; PUMP.to gets nothing then. NULL: nobody. */
    void (*collect)(int fd, const char *bytes, size_t length, void *data);
    void *data;
    int fd;
};

/*
 * Fills FDS with the descriptors that the box gets for 0, 1 and 2, and COPIES with what has to be
 * copied. 0, or -1 with errno (EISDIR: one is a folder).
 */
int stdio_copy_prepare(int fds[3], struct stdio_copy copies[3]);
/* The same with a pipe for 1 and 2, whatever they are, whose bytes COLLECT gets. */
int stdio_copy_prepare_collected(int fds[3], struct stdio_copy copies[3],
                                 void (*collect)(int fd, const char *bytes, size_t length,
                                                 void *data),
                                 void *data);
/* The same for the descriptor FD alone. */
int stdio_copy_prepare_one(int fd, int *give, struct stdio_copy *copy);
/* How many of FDS there are, from the first on. */
int stdio_copy_count(const int fds[3]);
/* Closes the box's ends in this process. */
void stdio_copy_sent(int fds[3]);

/* What to wait for before the next step; fd -1: nothing. */
struct pollfd stdio_copy_poll(const struct stdio_copy *self);
/* Reads or writes once. */
void stdio_copy_step(struct stdio_copy *self);
/* Copies what is there now, then closes. */
void stdio_copy_drain(struct stdio_copy *self);
void stdio_copy_close(struct stdio_copy *self);
