/*
 * Command-line options from a table: the parser, the help and the completion read the same rows.
 *
 * Options may stand between operands, up to a "--". What follows "--" is the command that is run in
 * a box, with options of its own.
 */
#pragma once

#include "common/error.h"

typedef enum { OPTION_END, OPTION_FLAG, OPTION_TEXT, OPTION_LIST } option_kind;

typedef struct {
    const char *name; /* "env" for --env */
    char letter;      /* 'e' for -e, or 0 */
    option_kind kind;
    void *target; /* gboolean, const char *, or GPtrArray * of const char * (NULL until used) */
    const char *argument; /* "K=V"; NULL for a flag */
    const char *summary;  /* one line, lower case, no full stop */
    const char *choices;  /* "a b c": the only values; or NULL */
} option;

typedef struct {
    char **operands; /* the words before "--" that are not options; NULL-terminated */
    char **command;  /* the words after "--"; NULL when there was no "--" */
} arguments;
void arguments_clear(arguments *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(arguments, arguments_clear)

/*
 * Parses ARGV (without the command's name) by TABLE, which OPTION_END ends, and stores values that
 * point into ARGV in the targets. Fails with BOX_ERROR_USAGE; for an unknown option the message
 * names the nearest known one.
 */
gboolean options_parse(const option *table, char **argv, arguments *result, GError **error);

/* The values of an OPTION_LIST, NULL-terminated; NULL when it was not given. Call it once. */
const char *const *options_list(GPtrArray *list);
