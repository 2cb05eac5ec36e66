/*
 * Relays between the user's terminal and a session's pty. libc only.
 *
 * Output has a thread of its own because of the kernel's tty layer: a blocking read returns what is
 * there, while poll and a non-blocking read first wait for the kernel's worker, each time, which
 * halves the rate.
 */
#pragma once

#include <poll.h>
#include <pthread.h>
#include <stddef.h>

#include "session/terminal.h"

#define PTY_BUFFER 65536

struct pty_output {
    int pty;
    int done; /* the pty or stdout has ended */
    char *data;
    struct screen *screen; /* shows it; NULL: stdout is no terminal */

    pthread_t thread;
    int begun, stopping;
    pthread_mutex_t lock; /* of the three below */
    pthread_cond_t changed;
    int paused, showing;
};

struct pty_relay {
    int pty;
    int raw;     /* our stdin is a terminal, in raw mode */
    int in_done; /* stdin has ended */
    int hung_up; /* it was a terminal, which is gone */
    char *in;
    size_t in_start, in_end;
    struct pty_output output;
};

/*
 * Takes over PTY, a descriptor that a box has sent, and checks that it is a pty. 0, or -1 with
 * errno; call pty_relay_end() in both cases.
 */
int pty_relay_take(struct pty_relay *self, int pty);
/* Puts stdin's terminal into raw mode and starts the output thread, which prints to SCREEN; NULL:
 * to stdout, unchanged. The caller has blocked the signals that it handles. 0, or -1 with errno. */
int pty_relay_begin(struct pty_relay *self, struct screen *screen);
/* What to wait for before the next step of stdin, and that step. */
struct pollfd pty_relay_poll(const struct pty_relay *self);
void pty_relay_step(struct pty_relay *self);
/* Tells the pty how large the terminal is now. */
void pty_relay_resize(struct pty_relay *self);
/* Has the text for the clipboard shown that the user has granted (screen_show_copy()). */
void pty_relay_show_copy(struct pty_relay *self);
/* Holds the output and restores the terminal's mode for a stop or a question; makes it raw again.
 */
void pty_relay_pause(struct pty_relay *self);
void pty_relay_resume(struct pty_relay *self);
/* Shows the rest of the output, ends the screen, and restores the terminal. */
void pty_relay_end(struct pty_relay *self);
