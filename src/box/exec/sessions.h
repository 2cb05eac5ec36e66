/* Running a command or a shell in a box, in this process or a child. */
#pragma once

#include <sys/types.h>

#include "box/session/running_session.h"

/*
 * Starts SELF if it is not running, runs a session with OPTIONS in it (running_session.h), and
 * reports what it did on a branch. Returns the exit status, or -1 with ERROR.
 */
int box_run_session(struct box *self, const session_options *options, GError **error);

/* A session in a child process, as a session uses the standard descriptors of its client; and a
 * program of Litterbox's own. */

#define SESSION_CHILD_MESSAGE_MAX 1024

/* What the child says in the end, written at once (pipe(7), PIPE_BUF). */
struct session_child_report {
    int status;                              /* of box_run_session() */
    struct client_result result;             /* all zero when no session began */
    char message[SESSION_CHILD_MESSAGE_MAX]; /* of its error; "" */
};

/*
 * Runs a session with OPTIONS in SELF in a new process, which ends when this one is killed, and the
 * session with it. FILES: its standard input, output and error; -1: /dev/null. Standard error had
 * better be no terminal of the user's, which the box's output could control. REPORT: where the
 * report goes; -1: nowhere. All stay open here. The exit status is the session's, or 125. Returns
 * the child's PID, or -1 with errno.
 */
pid_t session_child_start(struct box *self, const session_options *options, const int files[3],
                          int report);
/*
 * Runs the program ARGV[0], an absolute path, in a new process, which ends when this one is killed.
 * It has our environment, FILES as above, and no terminal that it could ask on. Returns its PID, or
 * -1 with errno; when it cannot be run, its exit status is 125.
 */
pid_t program_child_start(char *const *argv, const int files[3]);
/* Waits for the end of either. The exit status of PID; -1 when a signal ended it. */
int session_child_reap(pid_t pid);

/* Bytes of output that are enough for a few names. */
#define CAPTURE_MAX 65536

/*
 * Runs COMMAND in SELF, which must be running (in the child that does this nobody would see why it
 * does not start), without terminal and input, and returns its output: hostile bytes with a NUL
 * after them; their number is in *LENGTH (may be NULL). NULL with ERROR when it could not run,
 * failed, took more than 30 seconds, or printed MAX bytes or more.
 */
char *box_capture_output(struct box *self, const char *const *command, gsize max, gsize *length,
                         GError **error);
