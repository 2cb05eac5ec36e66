/* Readers of single values: see value.h. */
#include <math.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "common/text.h"
#include "config/value.h"

/* A percentage is rounded down to this: MemTotal differs by a little between kernels, and a limit
 * that moves would look like a changed plan. */
#define PERCENT_STEP ((gint64)64 << 20)

gboolean read_string(const value_source *from, const toml_tree *node, void *field)
{
    const char *text = value_text(from, node);
    char *good = NULL;

    if (!text)
        return FALSE;
    /* "" takes an earlier file's value back where nothing is set by default. */
    if (*text || !g_str_equal(from->row->fallback, "\"\"")) {
        good = value_checked(from, node->at, text, from->row->check);
        if (!good)
            return FALSE;
    }
    g_free(*(char **)field);
    *(char **)field = good;
    return TRUE;
}

gboolean read_bool(const value_source *from, const toml_tree *node, void *field)
{
    if (node->kind != TOML_BOOLEAN)
        return value_wrong_kind(from, node, "true or false");
    *(gboolean *)field = node->boolean;
    return TRUE;
}

gboolean read_enum(const value_source *from, const toml_tree *node, void *field)
{
    const schema_choice *choice = value_choice(from, node, from->row->choices);
    if (!choice)
        return FALSE;
    *(int *)field = choice->value;
    return TRUE;
}

static gboolean in_range(const schema_key *row, double value)
{
    return (value == 0 && row->zero_ok) || (value >= row->least && value <= row->most);
}

static gboolean wrong_range(const value_source *from, toml_place at, const char *least,
                            const char *most)
{
    return value_wrong(from, at, "must be from %s to %s%s", least, most,
                       from->row->zero_ok ? ", or 0" : "");
}

static gboolean wrong_number(const value_source *from, toml_place at)
{
    char least[G_ASCII_DTOSTR_BUF_SIZE], most[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(least, sizeof least, "%.12g", from->row->least);
    g_ascii_formatd(most, sizeof most, "%.12g", from->row->most);
    return wrong_range(from, at, least, most);
}

gboolean read_int(const value_source *from, const toml_tree *node, void *field)
{
    if (node->kind != TOML_INTEGER)
        return value_wrong_kind(from, node, "a whole number");
    if (!in_range(from->row, node->integer))
        return wrong_number(from, node->at);
    *(gint64 *)field = node->integer;
    return TRUE;
}

gboolean read_double(const value_source *from, const toml_tree *node, void *field)
{
    if (node->kind != TOML_INTEGER && node->kind != TOML_DOUBLE)
        return value_wrong_kind(from, node, "a number");
    double value = node->kind == TOML_INTEGER ? (double)node->integer : node->number;
    if (!isfinite(value) || !in_range(from->row, value))
        return wrong_number(from, node->at);
    *(double *)field = value;
    return TRUE;
}

/* "N%" of this machine's memory. */
static gboolean parse_percent(const char *text, gint64 *bytes)
{
    g_autofree char *digits = g_strndup(text, strlen(text) - 1);
    guint64 percent;
    struct sysinfo info;

    if (!g_ascii_string_to_unsigned(digits, 10, 1, 100, &percent, NULL) || sysinfo(&info) < 0)
        return FALSE;
    gint64 total = (gint64)info.totalram * info.mem_unit;
    *bytes = MAX(total / 100 * (gint64)percent / PERCENT_STEP, 1) * PERCENT_STEP;
    return TRUE;
}

gboolean read_size(const value_source *from, const toml_tree *node, void *field)
{
    const schema_key *row = from->row;
    gint64 bytes;

    if (node->kind == TOML_INTEGER) {
        bytes = node->integer;
    } else {
        if (node->kind != TOML_STRING)
            return value_wrong_kind(from, node, "a size such as \"512M\"");
        const char *text = value_text(from, node);
        if (!text)
            return FALSE;
        gboolean percent = row->percent && g_str_has_suffix(text, "%");
        if (!(percent ? parse_percent : text_parse_size)(text, &bytes)) {
            g_autofree char *safe = text_safe_max(text, -1, 120);
            return value_wrong(from, node->at, "'%s' must be a size such as \"512M\" or \"8G\"%s",
                               safe,
                               row->percent ? ", or a percentage from \"1%\" to \"100%\"" : "");
        }
    }
    if (!in_range(row, bytes)) {
        g_autofree char *least = text_format_size(row->least);
        g_autofree char *most = text_format_size(row->most);
        return wrong_range(from, node->at, least, most);
    }
    *(gint64 *)field = bytes;
    return TRUE;
}

gboolean read_duration(const value_source *from, const toml_tree *node, void *field)
{
    gint64 seconds;

    if (node->kind == TOML_INTEGER) {
        seconds = node->integer;
    } else {
        if (node->kind != TOML_STRING)
            return value_wrong_kind(from, node, "a time such as \"10m\"");
        const char *text = value_text(from, node);
        if (!text)
            return FALSE;
        if (g_str_equal(text, "never")) {
            *(gint64 *)field = SETTINGS_NEVER;
            return TRUE;
        }
        if (!text_parse_duration(text, &seconds)) {
            g_autofree char *safe = text_safe_max(text, -1, 120);
            return value_wrong(from, node->at,
                               "'%s' must be a time such as \"30s\", \"10m\", \"2h\", \"1d\", "
                               "or \"never\"",
                               safe);
        }
    }
    if (!in_range(from->row, seconds))
        return value_wrong(from, node->at, "must be from 1 second to 366 days, 0, or \"never\"");
    *(gint64 *)field = seconds;
    return TRUE;
}
