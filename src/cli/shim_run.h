/* What the shims (box/registry/shims.h) run. */
#pragma once

#include "box/exec/sessions.h"

/*
 * Runs what the shim NAME stands for with ARGV, its own argv: in the box of the current folder;
 * "NAME-raw" on this machine. Returns the exit status, -1 with ERROR.
 */
int shim_run(const char *name, char **argv, GError **error);

/*
 * Becomes this machine's program NAME, with a PATH without the shims and without what a box can
 * write. Returns only when that fails, with a message: the exit status.
 */
int shim_run_raw(const char *name, char **argv);

/*
 * Runs the command of OPTIONS in SELF for the shim NAME, on a terminal of its own when stdin,
 * stdout and stderr are terminals. Returns as box_run_session() does.
 */
int shim_run_session(struct box *self, const char *name, session_options options, GError **error);
