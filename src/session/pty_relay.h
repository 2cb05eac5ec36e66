/* Between the user's terminal and a session's pty. libc only. */
#pragma once

#include <poll.h>
#include <stddef.h>

#include "session/terminal.h"

#define PTY_RELAY_BUFFER 65536

struct pty_relay {
    int pty;
    int raw;      /* our stdin is a terminal, in raw mode */
    int in_done;  /* nothing more to type */
    int out_done; /* the pty has ended */
    char *in, *out;
    size_t in_start, in_end;
    struct screen screen;
};

/*
 * Takes over PTY, a descriptor that a box sent: checks that it is one, makes it non-blocking, and
 * puts stdin's terminal into raw mode. 0, or -1 with errno; pty_relay_end in both cases.
 */
int pty_relay_begin(struct pty_relay *self, int pty);
/* Fills POLLS[0] (typing) and POLLS[1] (output). */
void pty_relay_poll(const struct pty_relay *self, struct pollfd polls[2]);
void pty_relay_step(struct pty_relay *self, const struct pollfd polls[2]);
/* Tells the pty how large the terminal is now. */
void pty_relay_resize(struct pty_relay *self);
/* Gives the terminal back for a stop or a question, and takes it again. */
void pty_relay_pause(struct pty_relay *self);
void pty_relay_resume(struct pty_relay *self);
/* Shows what is still to be shown, tidies the terminal up and gives it back. */
void pty_relay_end(struct pty_relay *self);
