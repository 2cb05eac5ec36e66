/* Running a command or a shell in a box. */
#pragma once

#include "box/session/running_session.h"

/*
 * Starts SELF if it is not running, runs a session with OPTIONS in it (running_session.h), and
 * reports what it did on a branch. Returns the exit status, or -1 with ERROR.
 */
int box_run_session(struct box *self, const session_options *options, GError **error);

/* Bytes of output that are enough for a few names. */
#define CAPTURE_MAX 65536

/*
 * session_child.c: runs COMMAND in SELF, which must be running (in the child that does this nobody
 * would see why it does not start), without terminal and input, and returns its output: hostile
 * bytes with a NUL after them; their number is in *LENGTH (may be NULL). NULL with ERROR when it
 * could not run, failed, took more than 30 seconds, or printed MAX bytes or more.
 */
char *box_capture_output(struct box *self, const char *const *command, gsize max, gsize *length,
                         GError **error);
