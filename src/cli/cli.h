/* What is made from the table of commands: help and completion. */
#pragma once

#include <stdio.h>

#include "cli/commands/command.h"

/* help.c */

/* All commands by group, a line each. */
void help_overview(FILE *out);
/* One command: usage, verbs, options, details. */
void help_command(const struct command *row, FILE *out);

/*
 * completion*.c: completion scripts, generated from the table of commands. For values that a script
 * cannot know, it runs `box completion words KIND`.
 */

void completion_bash(FILE *out);
void completion_zsh(FILE *out);
void completion_fish(FILE *out);

/* The kind of an option's value, for completion. */
typedef enum {
    VALUE_NONE, /* a flag */
    VALUE_CHOICE,
    VALUE_FOLDER,
    VALUE_FILE,
    VALUE_VARIABLE, /* of the environment */
    VALUE_ANYTHING,
    N_VALUES,
} completion_value;
completion_value completion_value_of(const option *row);

/* "show files", the verbs of ROW; "" without. A new string. */
char *completion_verbs(const struct command *row);
/* The KIND of `box completion words KIND`; NULL for what a shell completes by itself. */
const char *completion_words_kind(enum completion_kind kind);
