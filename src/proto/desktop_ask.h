/* Asking the bridge for something of the host's desktop (proto/desktop_request.h), from inside a
 * box. */
#pragma once

#include "proto/desktop_request.h"

/* A little more than the minute that the user has to answer. */
#define ASK_PATIENCE_MS 80000

struct ask_answer {
    enum request_outcome outcome;
    char sentence[REQUEST_ANSWER_MAX]; /* for people; may be empty */
};

/*
 * Asks for TEXTS, ended by NULL. The connection, on which the answer comes and which the caller
 * closes; or -1, and *ANSWER says why nobody has been asked.
 */
int ask_begin(const char *const *texts, struct ask_answer *answer);
/* Reads the answer, once it is there. */
void ask_end(int connection, struct ask_answer *answer);
