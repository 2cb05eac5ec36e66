/*
 * What a session's pty says, to stdout, on a thread of its own. libc only.
 *
 * A thread because of the kernel's tty layer: a read that waits gets what there is, while poll and
 * a non-blocking read first wait for the kernel's own worker, each time, which halves the rate.
 */
#pragma once

#include <pthread.h>

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

/* Begins to show what PTY, made blocking for that, says. 0, or -1 with errno. Signals that are to
 * be handled by the caller are blocked already. */
int pty_output_begin(struct pty_output *self, int pty, int watched);
/* Between the two nothing is shown, and SCREEN is the caller's. */
void pty_output_pause(struct pty_output *self);
void pty_output_resume(struct pty_output *self);
/* Shows what is there and ends. Also for one that was never begun. */
void pty_output_end(struct pty_output *self);
