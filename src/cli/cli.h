/* What is made from the table of commands: help and completion. */
#pragma once

#include <glib.h>
#include <stdio.h>

#include "box/exec/sessions.h"
#include "cli/commands/command.h"
#include "common/error.h"

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

/* here.c: `box` alone: where one is. */

/*
 * Prints the box of the project of the current folder: its state, its sessions, and what to type
 * next. Asks neither Podman nor the box's programs, starts nothing and registers nothing. FALSE
 * where there is no project.
 */
gboolean here_print(void);

/*
 * words.c: Commands as Podman, Docker, distrobox and toolbox call them. Where Litterbox has an
 * equal, it is what runs; else one line says what it is called here. box(1) lists them.
 */

struct foreign_word {
    const char *word;
    const char *means; /* the words that stand for it: "image list"; or NULL, */
    const char *says;  /* and then what to do instead, the end of a sentence */
};

/* Ends with a row of NULL. */
extern const struct foreign_word foreign_words[];

/* NULL when WORD is none. */
const struct foreign_word *foreign_word_find(const char *word);

/* The command line that stands for ARGV, which begins with WORD's: a new list whose words are
 * borrowed, free with g_free(). Only for a word that means something. */
char **foreign_word_replace(const struct foreign_word *word, char **argv);

/* shim_run.c: What the shims (box/registry/shims.h) run. */

/*
 * Runs what the shim NAME stands for with ARGV, its own argv: in the box of the current folder;
 * an agent with a preset as `box agent run` does; "NAME-raw" on this machine. Returns the exit
 * status, -1 with ERROR.
 */
int shim_run(const char *name, char **argv, GError **error);

/* git by its shim (box/git_shim/git_shim.h); returns as shim_run(). */
int shim_run_git(char **argv, GError **error);
