/*
 * One session: a process between PID 1 and the command, so that PID 1 parses no messages.
 *
 * It is a child subreaper (prctl(2)): everything that the command starts stays below it until the
 * session ends, so a timeout or the loss of the client can end all of it.
 */
#pragma once

#include <signal.h>

#include "guest/init/session_request.h"

/* What PID 1 sends each session when a guard is gone: that of sessions of ROOT, or of the user. */
static inline int session_guard_signal(int root)
{
    return root ? SIGUSR2 : SIGUSR1;
}

/* Runs the session to its end in the calling (forked) process. Returns its exit status. */
int session_run(const struct session_context *context);
