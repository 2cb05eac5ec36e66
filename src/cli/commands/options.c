#include "cli/commands/command.h"

#include <string.h>

#include "common/text.h"

static const option *find_name(const option *table, const char *name, gsize length)
{
    for (; table && table->kind != OPTION_END; table++) {
        if (strlen(table->name) == length && strncmp(table->name, name, length) == 0)
            return table;
    }
    return NULL;
}

static const option *find_letter(const option *table, char letter)
{
    for (; table && table->kind != OPTION_END; table++) {
        if (table->letter == letter)
            return table;
    }
    return NULL;
}

/* The option near to WORD ("--jsno", "-jsno=x"), or that it would be with two dashes ("-all"). */
static const char *nearest_option(const option *table, const char *word)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    g_auto(GStrv) parts = g_strsplit(word + strspn(word, "-"), "=", 2);
    if (!parts[0])
        return NULL;
    for (; table && table->kind != OPTION_END; table++)
        g_ptr_array_add(names, (gpointer)table->name);
    g_ptr_array_add(names, NULL);
    return text_nearest(parts[0], (const char *const *)names->pdata);
}

/* What LINE says of WORD ("--volume=x", "-vx"), whose unknown part begins at AT; NULL: nothing. */
static const char *foreign_hint(const foreign_option *line, const char *word, const char *at)
{
    gboolean is_long = g_str_has_prefix(word, "--");
    gsize length = strcspn(at, "=");
    for (; line && line->name; line++) {
        gboolean named = strlen(line->name) == length && strncmp(line->name, at, length) == 0;
        if (is_long ? named : line->letter == *at)
            return line->says;
    }
    return NULL;
}

/* WORD is an option whose part from AT on is unknown. */
static gboolean unknown(const option *table, const foreign_option *foreign, const char *word,
                        const char *at, GError **error)
{
    g_autofree char *safe = text_safe(word, -1);
    const char *near = nearest_option(table, word), *says = foreign_hint(foreign, word, at);
    if (says)
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "unknown option '%s': %s", safe, says);
    else
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    near ? "unknown option '%s'; did you mean '--%s'?" : "unknown option '%s'",
                    safe, near);
    return FALSE;
}

static gboolean is_choice(const option *row, const char *value)
{
    g_auto(GStrv) choices = g_strsplit(row->choices, " ", -1);
    return g_strv_contains((const char *const *)choices, value);
}

static gboolean store(const option *row, const char *value, GError **error)
{
    if (row->choices && !is_choice(row, value)) {
        g_autofree char *safe = text_safe(value, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "invalid value '%s' for option '--%s': use one of %s", safe, row->name,
                    row->choices);
        return FALSE;
    }
    if (row->kind == OPTION_FLAG && !row->argument) {
        *(gboolean *)row->target = TRUE;
    } else if (row->kind != OPTION_LIST) {
        *(const char **)row->target = value ? value : "";
    } else {
        GPtrArray **list = row->target;
        if (!*list)
            *list = g_ptr_array_new();
        g_ptr_array_add(*list, (gpointer)value);
    }
    return TRUE;
}

static gboolean no_value(const option *row, GError **error)
{
    g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "option '--%s' needs a value: %s", row->name,
                row->argument);
    return FALSE;
}

/* "--name", "--name=value", "--name value". */
static gboolean parse_long(const option *table, const foreign_option *foreign, char ***at,
                           GError **error)
{
    const char *word = **at + 2, *equals = strchr(word, '=');
    const option *row = find_name(table, word, equals ? (gsize)(equals - word) : strlen(word));
    if (!row)
        return unknown(table, foreign, **at, word, error);
    if (row->kind == OPTION_FLAG && !row->argument && equals) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "option '--%s' takes no value", row->name);
        return FALSE;
    }
    if (row->kind == OPTION_FLAG || equals)
        return store(row, equals ? equals + 1 : NULL, error);
    if (!(*at)[1])
        return no_value(row, error);
    ++*at;
    return store(row, **at, error);
}

/* "-a", "-abc", "-eVALUE", "-e VALUE". */
static gboolean parse_short(const option *table, const foreign_option *foreign, char ***at,
                            GError **error)
{
    for (const char *letter = **at + 1; *letter; letter++) {
        const option *row = find_letter(table, *letter);
        if (!row)
            return unknown(table, foreign, **at, letter, error);
        if (row->kind == OPTION_FLAG) {
            if (!store(row, NULL, error))
                return FALSE;
            continue;
        }
        if (letter[1])
            return store(row, letter + 1, error);
        if (!(*at)[1])
            return no_value(row, error);
        ++*at;
        return store(row, **at, error);
    }
    return TRUE;
}

/* TRUE when the option WORD takes the next word as its value. */
static gboolean takes_next(const option *table, const char *word)
{
    if (g_str_has_prefix(word, "--")) {
        const option *row = find_name(table, word + 2, strlen(word + 2));
        return row && row->kind != OPTION_FLAG;
    }
    for (const char *letter = word + 1; *letter; letter++) {
        const option *row = find_letter(table, *letter);
        if (row && row->kind != OPTION_FLAG)
            return !letter[1];
    }
    return FALSE;
}

char **options_skip(const option *table, char **argv)
{
    while (*argv && (*argv)[0] == '-' && (*argv)[1] && strcmp(*argv, "--") != 0)
        argv += takes_next(table, *argv) && argv[1] ? 2 : 1;
    return argv;
}

gboolean options_parse(const option *table, const foreign_option *foreign, char **argv,
                       arguments *result, GError **error)
{
    g_autoptr(GPtrArray) operands = g_ptr_array_new_with_free_func(g_free);
    *result = (arguments){0};
    for (; *argv; argv++) {
        if (strcmp(*argv, "--") == 0) {
            result->command = g_strdupv(argv + 1);
            break;
        }
        gboolean fine = TRUE;
        if (g_str_has_prefix(*argv, "--"))
            fine = parse_long(table, foreign, &argv, error);
        else if ((*argv)[0] == '-' && (*argv)[1])
            fine = parse_short(table, foreign, &argv, error);
        else
            g_ptr_array_add(operands, g_strdup(*argv));
        if (!fine)
            return FALSE;
    }
    g_ptr_array_add(operands, NULL);
    result->operands = (char **)g_ptr_array_free(g_steal_pointer(&operands), FALSE);
    return TRUE;
}

const char *const *options_list(GPtrArray *list)
{
    if (!list)
        return NULL;
    g_ptr_array_add(list, NULL);
    return (const char *const *)list->pdata;
}

gboolean option_is_given(const option *each)
{
    switch (each->kind) {
    case OPTION_FLAG:
        return each->argument ? *(const char *const *)each->target != NULL
                              : *(const gboolean *)each->target;
    case OPTION_TEXT:
        return *(const char *const *)each->target != NULL;
    case OPTION_LIST:
        return *(GPtrArray *const *)each->target != NULL;
    case OPTION_END:
        break;
    }
    return FALSE;
}
