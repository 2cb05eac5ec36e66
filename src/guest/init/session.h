/*
 * One session: a process between PID 1 and the command, so that PID 1 parses no messages.
 *
 * It is a child subreaper (prctl(2)): everything that the command starts stays below it until the
 * session ends, so a timeout or the loss of the client can end all of it.
 */
#pragma once

#include <signal.h>
#include <stddef.h>

#include "guest/common/init_options.h"
#include "proto/session.h"

/*
 * session_request.c: what a session is asked to do, and whether it may: reads the client's request,
 * checks the sudo policy, and answers the requests that run no command (QUERY, CONNECT).
 *
 * Where the policy is "ask", a session of sudo sends its question (SESSION_ASK) to the session that
 * sudo was called in, which passes it on to its client: the user in front of that terminal. The
 * answer returns over a socket that travels with the question. Everything but a clear yes is a no.
 */

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

/* What PID 1 sends each session when a guard is gone: that of sessions of ROOT, or of the user. */
static inline int session_guard_signal(int root)
{
    return root ? SIGUSR2 : SIGUSR1;
}

/* Runs the session to its end in the calling (forked) process. Returns its exit status. */
int session_run(const struct session_context *context);

/* sudo_command.c: what sudo runs where the user is asked: decided here, so that what is shown is
 * what is run. */

/*
 * Replaces the program of COMMAND by its path in the usual folders of root's programs, and $PATH by
 * these: the box's own may lead to programs of the box. It runs in its folder, which has to be
 * absolute, or not at all. 0, or -1 with errno. What it allocates stays until the process ends.
 */
int sudo_command_resolve(struct session_command *command);

/*
 * The folder of COMMAND, and the command as a shell would read it, with the variables that it is
 * given, into TEXT.
 * Returns the length, less than SIZE; 0 when it does not fit: nobody can see then what it does.
 */
size_t sudo_command_describe(char *text, size_t size, const struct session_command *command);

/*
 * command_program.c: what of a command needs no process of its own. Sets the environment of the
 * calling session, which has no other use for it, to that of REQUEST's command. Returns the
 * program, a copy of which a login shell has in its argv[0] with a dash in front; NULL: no memory.
 */
const char *command_prepare_program(const struct init_options *options,
                                    const struct session_command *request);

/* command.c: starts the command of a session: from a parsed request to exec. */

/*
 * A process for the command, which is made before there is a request: all but what depends on that
 * has been done in it, which is half of what there is to do. command_start() uses it for commands
 * of the user, and does without for others, or when it is gone.
 */
void command_start_ahead(const struct init_options *options);
/*
 * Until this has returned the calling process may only wait for descriptors: both share one memory,
 * and errno with it.
 */
void command_await_ahead(void);
/* Ends it, if there is one: for requests that start no command. */
void command_end_ahead(void);

struct command_files {
    int pty;   /* master of the session's pty, or -1 */
    int io[3]; /* stdin, stdout, stderr; with a pty only stderr, and -1 when that is the pty */
};

/*
 * Forks and executes REQUEST. Returns the child's PID once exec has succeeded; else -1 with
 * *FAILURE filled, and the child has been reaped.
 */
pid_t command_start(const struct init_options *options, const struct session_command *request,
                    const struct command_files *files, struct session_failed *failure);

/*
 * Opens a new pty of the size in START, whose slave belongs to the user that the command runs as.
 * Returns the master, or -1 with errno.
 */
int command_open_pty(const struct init_options *options, const struct session_start *start);
