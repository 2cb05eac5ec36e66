/* Running a command or a shell in a box. */
#pragma once

#include "box/exec/session_options.h"
#include "box/registry/registry.h"
#include "box/registry/runtime_config.h"

/*
 * TRUE when stdin and stdout are a terminal that this process may use: a command gets one in the
 * box, as with ssh -t. Not in the background, where a change of the terminal's mode would stop it.
 */
gboolean session_has_terminal(void);

/*
 * Starts SELF if it is not running, runs a session with OPTIONS in it, reports what the box changed
 * in the project (box/inspect/project_changes.h), and returns the exit status:
 * the command's, 124 after a timeout, or 126 and 127 as in sh(1). -1 with ERROR when the session
 * could not run.
 *
 * This is the hot path of `box run`: for a running box it does not parse configuration files, call
 * Podman or load libcurl.
 */
int box_run_session(struct box *self, const session_options *options, GError **error);

/*
 * session_environment.c: what a command in SELF gets of the caller's environment, "K=V", a new
 * array. KNOWN may be NULL.
 */
char **session_environment(const struct box *self, const struct runtime_config *known,
                           const session_options *options);

/* Bytes of output that are enough for a few names. */
#define CAPTURE_MAX 65536

/*
 * capture.c: runs COMMAND in SELF, which must be running (in the child that does this nobody would
 * see why it does not start), without terminal and input, and returns
 * its output: hostile bytes with a NUL after them; their number is in *LENGTH (may be NULL). NULL
 * with ERROR when it could not run, failed, took more than 30 seconds, or printed MAX bytes or
 * more.
 */
char *box_capture_output(struct box *self, const char *const *command, gsize max, gsize *length,
                         GError **error);
