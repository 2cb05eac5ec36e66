/* One command: a row that main, help, completion and "did you mean" read. */
#pragma once

#include "box/options.h"

typedef enum { GROUP_WORK, GROUP_LIFE, GROUP_SETUP, GROUP_LOOK, N_GROUPS } command_group;

typedef enum {
    COMPLETE_NOTHING,
    COMPLETE_PROJECT, /* box names and folders */
    COMPLETE_FILES,
    COMPLETE_COMMANDS, /* of box */
    COMPLETE_PROGRAMS, /* of this machine, as many as wanted */
    COMPLETE_ASKED,    /* behind a verb: what completion_operands() says */
} command_operands;

typedef struct command {
    const char *name;
    const char *alias; /* or NULL */
    command_group group;
    const char *arguments; /* "[PROJECT] -- COMMAND…" */
    const char *verbs;     /* "show files": what the first operand may be; or NULL */
    const char *summary;   /* one line, lower case, no full stop */
    const char *details;   /* paragraphs for --help; or NULL */
    const option *options; /* ends with a row of OPTION_END; or NULL */
    command_operands completes;
    int operands_max;       /* more are a usage error */
    gboolean takes_command; /* "-- COMMAND…" means something */
    /* Runs it and returns the exit status of `box`; on an error sets ERROR, and the status of
     * box_error_exit_status() counts. */
    int (*run)(const arguments *given, GError **error);
} command;

/* All of them, NULL-terminated, in the order of the help. */
extern const command *const commands[];

/* What a command does behind its first operand. */
typedef struct {
    const char *name;
    guint least, most; /* operands behind it */
    int (*run)(const arguments *given, GError **error);
    gboolean json; /* may be asked for JSON */
} command_verb;

/*
 * Runs the row of VERBS (ends with one without a name) that the first operand of GIVEN is. When
 * there is none, or it takes not so many operands, or no JSON, which is asked for: BOX_ERROR_USAGE,
 * USAGE.
 */
int command_run_verb(const command_verb *verbs, const arguments *given, gboolean json,
                     const char *usage, GError **error);

/* By name or alias; NULL. */
const command *command_find(const char *word);
const char *command_group_title(command_group group);

/* The first operand or NULL. */
static inline const char *arguments_first(const arguments *self)
{
    return self->operands && self->operands[0] ? self->operands[0] : NULL;
}
