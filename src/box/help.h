/* Help and completion, made from the table of commands. */
#pragma once

#include <stdio.h>

#include "box/command.h"

/* All commands by group, a line each. */
void help_overview(FILE *out);
/* One command: usage, options, details. */
void help_command(const command *row, FILE *out);
