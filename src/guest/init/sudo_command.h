/* What sudo runs where the user is asked: decided here, so that what is shown is what is run. */
#pragma once

#include <stddef.h>

#include "proto/session.h"

/*
 * Replaces the program of COMMAND by its path in the usual folders of root's programs, and $PATH by
 * these: the box's own may lead to programs of the box. 0, or -1 with errno. What it allocates
 * stays until the process ends.
 */
int sudo_command_resolve(struct session_command *command);

/*
 * The folder of COMMAND, and the command as a shell would read it, with the variables that it is
 * given, into TEXT.
 * Returns the length, less than SIZE; what does not fit is cut.
 */
size_t sudo_command_describe(char *text, size_t size, const struct session_command *command);
