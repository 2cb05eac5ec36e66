/* Starts the command of a session: from a parsed request to exec. */
#pragma once

#include "guest/common/init_options.h"
#include "proto/session.h"

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
