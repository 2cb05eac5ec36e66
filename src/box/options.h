/*
 * Command-line options from a table: parser, help and completion all read the same rows.
 *
 * Parsing follows POSIX: options come before operands, "--" ends them, so that a command's own
 * options are never ours.
 */
#pragma once

#include "common/error.h"

typedef enum { OPTION_END, OPTION_FLAG, OPTION_TEXT, OPTION_LIST } option_kind;

typedef struct {
    const char *name; /* "env" for --env */
    char letter;      /* 'e' for -e, or 0 */
    option_kind kind;
    void
        *target; /* gboolean, const char *, or GPtrArray * of const char * (made when first used) */
    const char *argument; /* "K=V"; NULL for a flag */
    const char *summary;
    const char *choices; /* "a b c": the only values; or NULL */
} option;

typedef struct {
    char **operands; /* what is left, in front of "--" */
    char **command;  /* what came behind "--"; NULL when there was none */
} arguments;
void arguments_clear(arguments *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(arguments, arguments_clear)

/*
 * Parses ARGV (without the command's name) by TABLE. Options may also stand between operands, up to
 * the "--". BOX_ERROR_USAGE with the nearest option's name when one is not known.
 */
gboolean options_parse(const option *table, char **argv, arguments *result, GError **error);

/* What an OPTION_LIST has gathered, NULL-terminated; NULL when it was not given. Ends the list. */
const char *const *options_list(GPtrArray *list);
