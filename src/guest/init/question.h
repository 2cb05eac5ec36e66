/*
 * A question from a sudo session to the user in front of another session's terminal, on its way
 * through that session (SESSION_ASK, SESSION_ANSWER). The answer comes back over a socket that
 * travels with the question. Only a clear yes is a yes.
 */
#pragma once

#include "proto/session.h"

struct question {
    int reply; /* socket that waits for the answer, or -1 */
};
#define QUESTION_NONE ((struct question){-1})

static inline int question_pending(const struct question *self)
{
    return self->reply >= 0;
}

/* Takes a question from the socket QUESTIONS and sends it to CLIENT; a failure answers no. */
void question_forward(struct question *self, int questions, int client);

/* Answers and forgets the pending question, if there is one. */
void question_answer(struct question *self, int yes);

/*
 * Asks over QUESTIONS (-1: there is nobody) whether COMMAND may run as root of the box, and waits a
 * minute at most. 1: yes.
 */
int question_ask(int questions, const struct session_command *command);
