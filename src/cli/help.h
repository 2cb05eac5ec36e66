/* Help, made from the table of commands. */
#pragma once

#include <stdio.h>

#include "cli/commands/command.h"

/* All commands by group, a line each. */
void help_overview(FILE *out);
/* One command: usage, verbs, options, details. */
void help_command(const struct command *row, FILE *out);
