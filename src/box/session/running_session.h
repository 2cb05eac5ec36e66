/*
 * A session in a box that runs: all that `box run` does there. It does not parse configuration
 * files, call Podman or load libcurl, and the room has nothing that could: the program that most
 * calls of `box run` need (launcher/main.c) is small because of that.
 */
#pragma once

#include "box/registry/registry.h"
#include "box/registry/runtime_config.h"
#include "box/session/session_options.h"

/*
 * TRUE when stdin and stdout are a terminal that this process may use: a command gets one in the
 * box, as with ssh -t. Not in the background, where a change of the terminal's mode would stop it.
 */
gboolean session_has_terminal(void);

/* Restarts helpers of SELF that have died. CONNECTION leads to its PID 1. */
void running_session_wake_helpers(const struct box *self, int connection);

/* A connection to PID 1 of SELF, which is neither stopped nor paused then. -1, with or without
 * ERROR: nothing is run. */
typedef int (*session_connector)(struct box *self, const session_options *options, GError **error);

/*
 * Runs a session with OPTIONS in SELF, and reports what the box changed in the project
 * (box/inspect/project_changes.h); not what it did on a branch. A box may end between the
 * connection and the request, or not have waited for the setup of its home: then CONNECT is called
 * again. Returns the exit status: the command's, 124 after a timeout, or 126 and 127 as in sh(1).
 * -1 with ERROR when the session could not run; without, when CONNECT has none, or when
 * *IS_MISSING: there is no such program, and OPTIONS have another.
 */
int running_session(struct box *self, const session_options *options, session_connector connect,
                    gboolean *is_missing, GError **error);
