/* The operands that only a look at the user's keys and the agent can tell: ids, names of keys. */
#pragma once

#include <glib.h>

/* Prints, a line each, what can stand behind VERB of COMMAND; FALSE when that is a file's name.
 * Starts no agent and asks for no password. */
gboolean completion_operands(const char *command, const char *verb);
