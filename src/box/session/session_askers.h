/*
 * Asks the user whether a box may replace what they have copied with a text that it printed
 * ([terminal] clipboard = "ask"), in a window. The hooks of a session (session/client_hooks.h).
 *
 * Who limits what: a session has one question at a time (session/copy_question.h), and here it may
 * ask only so often; of all that a box asks, the agent shows one question at a time, and none for a
 * while after a refusal (ssh-agent/agent/pending_questions.h).
 */
#pragma once

#include "box/registry/registry.h"
#include "net/token_bucket.h"
#include "proto/question.h"

/* All zero but for the box. */
typedef struct {
    const struct box *box;
    struct token_bucket limit;
    question *asked;    /* the question that is open; NULL: none is */
    gboolean is_nobody; /* there was no window to ask in */
} copy_asker;

void copy_asker_init(copy_asker *self, const struct box *about);
/* TEXT: LENGTH bytes of base64. Returns what becomes readable with the answer; -1: no. */
int copy_asker_begin(copy_asker *self, const char *text, gsize length);
/* Reads the answer and closes FD. TRUE: yes. */
gboolean copy_asker_end(copy_asker *self, int fd);
/* After the session: says what nobody could be asked about. TOO_LONG: so many texts were. */
void copy_asker_report(const copy_asker *self, unsigned too_long);
void copy_asker_clear(copy_asker *self);

/* The question about TEXT, LENGTH hostile bytes. A new one. */
question *copy_asker_question(const char *name, const char *project, const char *text,
                              gsize length);

/* Asks the user whether root of a box may run a command ([security] sudo = "ask"). */

/* TEXT: what is run, LENGTH hostile bytes. TRUE: yes. */
gboolean sudo_asker_ask(const struct box *about, const char *text, gsize length);
