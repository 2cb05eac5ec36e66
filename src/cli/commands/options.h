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
    const char *argument; /* "K=V"; NULL for a flag. One with it may have a value behind "=": its
                             target is a const char *, "" without one */
    /* One line, lower case, no full stop. "diff, take: …": these verbs alone take it. */
    const char *summary;
    const char *choices; /* "a b c": the only values; or NULL */
} option;

typedef struct {
    char **operands; /* the words before "--" that are not options; NULL-terminated */
    char **command;  /* the words after "--"; NULL when there was no "--" */
} arguments;
void arguments_clear(arguments *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(arguments, arguments_clear)

/* An option of podman or distrobox that is called differently here, or not needed. */
typedef struct {
    const char *name; /* "volume" for --volume; NULL ends the table */
    char letter;      /* 'v' for -v, or 0 */
    const char *says; /* what to do instead, the end of a sentence */
} foreign_option;

/*
 * Parses ARGV (without the command's name) by TABLE, which OPTION_END ends, and stores values that
 * point into ARGV in the targets. Fails with BOX_ERROR_USAGE; for an unknown option the message is
 * that of FOREIGN (may be NULL), or names the nearest known one.
 */
gboolean options_parse(const option *table, const foreign_option *foreign, char **argv,
                       arguments *result, GError **error);

/* The first of ARGV that is neither an option of TABLE nor the value of one; its end when all are.
 */
char **options_skip(const option *table, char **argv);

/* The values of an OPTION_LIST, NULL-terminated; NULL when it was not given. Call it once. */
const char *const *options_list(GPtrArray *list);

/* TRUE when options_parse() has found EACH, whose target was 0 before. */
gboolean option_is_given(const option *each);
