/*
 * How a question to the user ends: the answers, their words on the wire, and the line that
 * litterbox-prompt writes.
 *
 * The line is one JSON object: {"answer": WORD}, with "password" or "keys" (a list of key ids) for
 * the answers of these names. It is hostile input for the agent: only a whole line that
 * question_reply_parse() accepts may allow anything.
 */
#pragma once

#include <glib.h>

/* Longest line of an answer in bytes: a password of escapes alone, or 64 key ids, fit in. */
#define QUESTION_REPLY_MAX 65536
/* Most keys in an answer, and in a question. */
#define QUESTION_KEYS_MAX 64
/* Longest output of a prompt: its line, a NUL, its exit status. */
#define QUESTION_OUTPUT_MAX (QUESTION_REPLY_MAX + 2)
/* Exit status of a litterbox-prompt that cannot reach a display. */
#define QUESTION_PROMPT_NO_DISPLAY 3
/* The question's descriptor, in a litterbox-prompt that got one. */
#define QUESTION_PROMPT_DESCRIPTOR 3

enum question_answer {
    /* The user allows what was asked: once, or as one of the longer choices says. */
    QUESTION_ANSWER_ONCE,
    QUESTION_ANSWER_5_MINUTES,
    QUESTION_ANSWER_15_MINUTES,
    QUESTION_ANSWER_UNTIL_STOP,
    QUESTION_ANSWER_ALWAYS, /* until the user takes it back */
    QUESTION_ANSWER_PASSWORD,
    QUESTION_ANSWER_KEYS,
    /* The user refuses. */
    QUESTION_ANSWER_DENY,
    QUESTION_ANSWER_NEVER, /* until the user takes it back */
    QUESTION_ANSWER_MUTE,  /* and the box's next questions, for a while */
    /* Nobody has answered. All of these refuse. */
    QUESTION_ANSWER_TIMEOUT,
    QUESTION_ANSWER_NOBODY, /* no display; the asker may ask on its own terminal */
    QUESTION_ANSWER_AGAIN, /* an answer to another waiter that does not cover this one: ask again */
    QUESTION_ANSWER_FAILED,    /* the prompt ended without a valid answer */
    QUESTION_ANSWER_WITHDRAWN, /* taken back: a lock, a mute, the end of the box or the agent */
    QUESTION_ANSWER_COUNT
};

/* The word on the wire and in the log, such as "5m". */
const char *question_answer_word(enum question_answer self);
/* FALSE when WORD (may be NULL) is none of the words. */
gboolean question_answer_parse(const char *word, enum question_answer *answer);

/* TRUE for the answers that a question may list as choices. */
gboolean question_answer_is_choice(enum question_answer self);
/* The button of an answer that lasts, such as "Allow for 5 minutes"; NULL for other answers. */
const char *question_answer_button(enum question_answer self);

typedef struct question_reply {
    enum question_answer answer;
    char *password;  /* QUESTION_ANSWER_PASSWORD; wiped by question_reply_clear() */
    GPtrArray *keys; /* QUESTION_ANSWER_KEYS: of char *, the ids */
} question_reply;

/* Reads a prompt's line into SELF, which needs no initialisation. Everything else than a valid
 * answer that a prompt may give reads as QUESTION_ANSWER_FAILED. */
void question_reply_parse(question_reply *self, const char *line, gsize length);
/*
 * The same for all that a prompt wrote until its end, followed by a NUL and its exit status, a byte
 * (ssh-agent/agent/agent.h). Only a line with exit status 0 is an answer. Returns the
 * exit status; 255 for output without one.
 */
int question_reply_parse_output(question_reply *self, const char *output, gsize length);
void question_reply_clear(question_reply *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(question_reply, question_reply_clear)
