/*
 * A text that a box wants to have in the user's clipboard (OSC 52), held back until the user has
 * answered. libc only.
 *
 * One text is kept at a time: while it waits for the answer, further ones are dropped. What takes
 * texts from the output and what asks may be two threads: the first has the text until it waits,
 * the other one from then on.
 */
#pragma once

#include <stddef.h>

/* Longest text, in base64. That is 75 KiB of text, and about what terminals take. */
#define TERMINAL_COPY_MAX ((size_t)100 * 1024)

enum terminal_copy_state {
    COPY_NONE,
    COPY_COMES,   /* its end has not come yet */
    COPY_WAITS,   /* for the user's answer */
    COPY_GRANTED, /* by the user: it is to be written */
};

/* All zero is one that keeps nothing. */
struct terminal_copy {
    enum terminal_copy_state state; /* read it by terminal_copy_state() */
    int wake;                       /* an eventfd that is written when a text waits; 0: none */
    unsigned too_long;              /* texts that were dropped for their length */
    char *sequence;                 /* without its introducer and its end */
    size_t length, room;
    size_t text; /* where in it the base64 begins */
    int failed;  /* too long, or no memory: it is dropped at its end */
};

enum terminal_copy_state terminal_copy_state(const struct terminal_copy *self);

/* A sequence with this head begins. 0 when it is to be dropped, as another one waits. */
int terminal_copy_begin(struct terminal_copy *self, const char *head, size_t length);
void terminal_copy_add(struct terminal_copy *self, const char *data, size_t length);
/* Its end; IS_WHOLE: by its terminator. It waits now, unless it is no base64 or too long. */
void terminal_copy_end(struct terminal_copy *self, int is_whole);

/* The text that waits, in base64. */
const char *terminal_copy_text(const struct terminal_copy *self, size_t *length);
void terminal_copy_answer(struct terminal_copy *self, int yes);

void terminal_copy_clear(struct terminal_copy *self);
