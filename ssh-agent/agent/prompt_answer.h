/* What a prompt wrote until its end: a line of JSON, a NUL, its exit status. */
#pragma once

#include <glib.h>
#include <jansson.h>

/* Longest: a line with a password or a list of keys. */
#define PROMPT_ANSWER_MAX 65536
/* Exit status of a prompt that found no display: the question goes on waiting for a terminal. */
#define PROMPT_NO_DISPLAY 3

typedef struct {
    guchar status; /* 255 for output that does not end as it must */
    char *choice;  /* what it answered; ANSWER_FAILED for everything that is no whole answer */
    json_t *all;   /* the line, with the parts that belong to the choice; NULL: none */
} prompt_answer;

/* Only a whole line with exit status 0 is an answer. */
void prompt_answer_read(prompt_answer *self, const char *text, gsize length);
void prompt_answer_clear(prompt_answer *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(prompt_answer, prompt_answer_clear)
