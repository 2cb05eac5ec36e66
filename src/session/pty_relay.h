/* Between the user's terminal and a session's pty. libc only. */
#pragma once

#include <poll.h>
#include <pthread.h>
#include <stddef.h>

#include "session/terminal.h"

#define PTY_BUFFER 65536

struct pty_output {
    int pty;
    int watched; /* the terminal is the user's: what it is told goes through SCREEN */
    int done;    /* the pty has ended, or nobody reads us */
    char *data;
    struct screen screen;

    pthread_t thread;
    int begun, stopping;
    pthread_mutex_t lock; /* of the three below */
    pthread_cond_t changed;
    int paused, showing;
};

struct pty_relay {
    int pty;
    int raw;     /* our stdin is a terminal, in raw mode */
    int in_done; /* nothing more to type */
    char *in;
    size_t in_start, in_end;
    struct pty_output output;
};

/*
 * Takes PTY, a descriptor that a box sent, and checks that it is one. 0, or -1 with errno;
 * pty_relay_end in both cases.
 */
int pty_relay_take(struct pty_relay *self, int pty);
/* Puts stdin's terminal into raw mode and begins to relay; signals are blocked by then. The same.
 */
int pty_relay_begin(struct pty_relay *self);
/* What to wait for to go on with the typing, and the going on. */
struct pollfd pty_relay_poll(const struct pty_relay *self);
void pty_relay_step(struct pty_relay *self);
/* Tells the pty how large the terminal is now. */
void pty_relay_resize(struct pty_relay *self);
/* Gives the terminal back for a stop or a question, and takes it again. */
void pty_relay_pause(struct pty_relay *self);
void pty_relay_resume(struct pty_relay *self);
/* Shows what is still to be shown, tidies the terminal up and gives it back. */
void pty_relay_end(struct pty_relay *self);
