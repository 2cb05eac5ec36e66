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
    VALUE_BRANCH,
    VALUE_ANYTHING,
    N_VALUES,
} completion_value;
completion_value completion_value_of(const option *row);

/* "show files", the verbs of ROW; "" without. A new string. */
char *completion_verbs(const struct command *row);

/* The operands of a row, one for each word of its `operands`. */
struct operands {
    guint count;
    struct operand {
        enum completion_kind kind;
        gboolean optional, repeats;
    } list[OPERANDS_MAX];
};
/* VERB NULL: of a command without verbs. */
struct operands completion_operands(const struct command *row, const struct command_verb *verb);
/*
 * The names of what completes the word at POSITION (0: the first), with SEPARATOR between: several
 * where optional operands stand before others. POSITION SELF->count and more: what repeats. "" for
 * nothing; a new string.
 */
char *completion_at(const struct operands *self, guint position, const char *separator);

/* The name of KIND in the scripts; NULL for nothing and free text. */
const char *completion_kind_name(enum completion_kind kind);

/* completion_words.c */

/* The KIND of `box completion words KIND`; NULL for what a shell completes by itself. */
const char *completion_words_kind(enum completion_kind kind);
/* Prints the words of KIND, a line each. BEFORE is the word before the operand, which may name a
 * box or a question; or NULL. FALSE when there is no such KIND. */
gboolean completion_words(const char *kind, const char *before);
