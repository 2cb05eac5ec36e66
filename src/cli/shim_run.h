/* What happens when a shim is called (shims.h). */
#pragma once

#include "common/error.h"

/*
 * Runs what the shim NAME stands for with ARGV, its own argv: in the box of the current folder, on
 * a terminal of its own when stdin, stdout and stderr are terminals; "NAME-raw" on this machine.
 * Returns the exit status, -1 with ERROR.
 */
int shim_run(const char *name, char **argv, GError **error);
