/*
 * What a session is asked to do, and whether it may: reads the client's request, checks the sudo
 * policy, and answers the requests that run no command (QUERY, CONNECT).
 *
 * Where the policy is "ask", a session of sudo sends its question (SESSION_ASK) to the session that
 * sudo was called in, which passes it on to its client: the user in front of that terminal. The
 * answer returns over a socket that travels with the question. Everything but a clear yes is a no.
 */
#pragma once

#include "guest/common/init_options.h"
#include "proto/session.h"

enum session_origin {
    SESSION_FROM_HOST, /* over the control socket: any request */
    SESSION_FROM_SUDO, /* over the sudo socket: always as root, if the sudo policy allows it */
    SESSION_FROM_INIT, /* the session bus (session_bus.h): no client */
};

struct session_context {
    const struct init_options *options;
    int connection; /* to the client; SESSION_FROM_INIT: the socket that the bus listens on */
    enum session_origin origin;
    /*
     * SESSION_FROM_HOST: the socket on which PID 1 lets questions of sudo sessions for this
     * session's user arrive. SESSION_FROM_SUDO: the socket to send questions to. -1: none.
     */
    int questions;
    struct session_info info; /* the answer to a QUERY, without what is left running */
};

/* Exit status of a session that ran no command and connected to nothing: it only answered a QUERY,
 * or refused its request. Such a session does not keep the box from stopping when idle. */
#define SESSION_WITHOUT_COMMAND 2

/*
 * Reads the request of CONTEXT's client into REQUEST, which then points into *BODY (malloc'ed), and
 * the descriptors that came with it into RECEIVED. The request of a SESSION_FROM_INIT is always the
 * session bus. Returns 0, or -1 when no command is to run; the client has been told why. Exits the
 * process after a request that runs no command. Waits for the client 10 seconds at most, and for
 * the user's answer a minute.
 */
int session_request_read(const struct session_context *context, struct session_command *request,
                         char **body, int received[3]);

/* A question of a sudo session that the client of this session is being asked. */
struct sudo_question {
    int reply; /* socket for the answer; -1: there is no question */
};
#define SUDO_QUESTION_NONE ((struct sudo_question){-1})

static inline int sudo_question_is_open(const struct sudo_question *self)
{
    return self->reply >= 0;
}

/* Receives a question from the socket QUESTIONS and sends it to CLIENT; answers no on failure. */
void sudo_question_forward(struct sudo_question *self, int questions, int client);

/* Answers the open question, if there is one. */
void sudo_question_answer(struct sudo_question *self, int yes);
