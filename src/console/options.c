#include "console/options.h"

#include <string.h>

#include "common/text.h"

void arguments_clear(arguments *self)
{
    g_strfreev(self->operands);
    g_strfreev(self->command);
    self->operands = self->command = NULL;
}

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

static gboolean unknown(const option *table, const char *word, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (; table && table->kind != OPTION_END; table++)
        g_ptr_array_add(names, (gpointer)table->name);
    g_ptr_array_add(names, NULL);
    g_autofree char *safe = text_safe(word, -1);
    const char *near = g_str_has_prefix(word, "--")
                           ? text_nearest(word + 2, (const char *const *)names->pdata)
                           : NULL;
    g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                near ? "there is no option '%s'; did you mean '--%s'?" : "there is no option '%s'",
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
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "--%s takes one of: %s; not '%s'", row->name,
                    row->choices, safe);
        return FALSE;
    }
    if (row->kind == OPTION_FLAG) {
        *(gboolean *)row->target = TRUE;
    } else if (row->kind == OPTION_TEXT) {
        *(const char **)row->target = value;
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
    g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "--%s needs %s", row->name, row->argument);
    return FALSE;
}

/* "--name", "--name=value", "--name value". */
static gboolean parse_long(const option *table, char ***at, GError **error)
{
    const char *word = **at + 2, *equals = strchr(word, '=');
    const option *row = find_name(table, word, equals ? (gsize)(equals - word) : strlen(word));
    if (!row)
        return unknown(table, **at, error);
    if (row->kind == OPTION_FLAG && equals) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "--%s takes no value", row->name);
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
static gboolean parse_short(const option *table, char ***at, GError **error)
{
    for (const char *letter = **at + 1; *letter; letter++) {
        const option *row = find_letter(table, *letter);
        if (!row)
            return unknown(table, **at, error);
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

gboolean options_parse(const option *table, char **argv, arguments *result, GError **error)
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
            fine = parse_long(table, &argv, error);
        else if ((*argv)[0] == '-' && (*argv)[1])
            fine = parse_short(table, &argv, error);
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
