/*
 * Has the user asked about the texts for the clipboard that a session's screens hold back
 * (terminal_copy.h), one question at a time, while the session goes on. libc only.
 */
#pragma once

#include <poll.h>

#include "session/client_hooks.h"
#include "session/terminal.h"

struct copy_question {
    const struct client_hooks *hooks; /* NULL: nobody is asked */
    int wake;                         /* an eventfd: a text waits */
    int answer;                       /* of the question that is open; -1: none is */
    struct screen *about;             /* holds its text */
};

/* HOOKS may be NULL. */
void copy_question_init(struct copy_question *self, const struct client_hooks *hooks);
/* Has texts of SCREEN asked about; without a hook that asks they are dropped. */
void copy_question_watch(struct copy_question *self, struct screen *screen);
/* What to wait for before the next step. */
void copy_question_poll(const struct copy_question *self, struct pollfd polls[2]);
/* Returns the screen that has to show a text now, NULL: none has. */
struct screen *copy_question_step(struct copy_question *self, const struct pollfd polls[2],
                                  struct screen *screens, int count);
/* Withdraws the question that is open. */
void copy_question_end(struct copy_question *self);
