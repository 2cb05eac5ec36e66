/*
 * One session: a process between PID 1 and the command, so that PID 1 parses no messages.
 *
 * It is a child subreaper (prctl(2)): everything that the command starts stays below it until the
 * session ends, so a timeout or the loss of the client can end all of it.
 */
#pragma once

#include "guest/init/session_request.h"

/* Runs the session to its end in the calling (forked) process. Returns its exit status. */
int session_run(const struct session_context *context);
