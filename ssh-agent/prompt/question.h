/*
 * The question that the agent puts to the user: one JSON object on stdin. Its texts may have been
 * chosen by a box, whoever passed them on, so each is made harmless here, once, and everything else
 * of this program shows them as they are. What breaks a bound is no question at all; only texts
 * that are too long are cut, in their middle.
 */
#pragma once

#include <glib.h>

#include "ssh-agent/prompt/bounds.h"

typedef enum {
    QUESTION_SIGN,
    QUESTION_SUDO,
    QUESTION_PASSWORD,
    QUESTION_KEYS,
    QUESTION_OPEN
} question_kind;
typedef enum { VERDICT_NONE, VERDICT_VERIFIED, VERDICT_UNVERIFIED } question_verdict;

typedef struct {
    char *label, *value;
    char *detail; /* NULL: none */
    char *aside;  /* a word behind the value; NULL: none */
} question_fact;

typedef struct {
    char *name, *command;
    gint64 pid, host_pid; /* 0: unknown */
} question_program;

/* Of the answer: the id is plain ASCII and none of the answers that are not choices. */
typedef struct {
    char *id, *text;
    char *scope; /* NULL: this once */
} question_choice;

typedef struct {
    char *id; /* plain ASCII */
    char *label, *type;
} question_key;

typedef struct {
    question_kind kind;
    char *box, *project, *phrase; /* NULL: none */
    guint32 colour;               /* 0xRRGGBB */
    char *headline;
    question_verdict verdict;
    char *verdict_text, *note;  /* NULL: none */
    char *address;              /* kind open: what is opened, in full; never cut */
    GPtrArray *known, *claimed; /* of question_fact */
    GPtrArray *chain;           /* of question_program, outermost last */
    GPtrArray *warnings;        /* of char * */
    GPtrArray *choices;         /* of question_choice */
    GPtrArray *keys;            /* of question_key */
    gboolean mute;              /* offer to mute the box */
    int timeout;                /* in seconds */
} question;

/* NULL with BOX_ERROR_PROTOCOL when TEXT (LENGTH bytes) is no valid question. */
question *question_parse(const char *text, gsize length, GError **error);

/* Reads FD to its end, QUESTION_MAX at most, and parses that. */
question *question_read(int fd, GError **error);

void question_free(question *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(question, question_free)
