#include "config/value.h"

#include <math.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "common/text.h"
#include "common/units.h"

gboolean value_wrong(const value_source *from, toml_place at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    problems_add(from->problems, from->file, at, from->row->section,
                 from->key ? from->key : from->row->key, "%s", text);
    return FALSE;
}

gboolean value_wrong_kind(const value_source *from, const toml_tree *node, const char *wanted)
{
    return value_wrong(from, node->at, "must be %s, not %s", wanted, toml_kind_name(node->kind));
}

const char *value_text(const value_source *from, const toml_tree *node)
{
    if (node->kind != TOML_STRING) {
        value_wrong_kind(from, node, "a string");
        return NULL;
    }
    if (strlen(node->string) != node->length) {
        value_wrong(from, node->at, "must not contain a NUL character");
        return NULL;
    }
    return node->string;
}

char *value_checked(const value_source *from, toml_place at, const char *text, schema_check check)
{
    const char *wrong = NULL;
    char *good = check ? check(text, &wrong) : g_strdup(text);
    if (!good) {
        g_autofree char *safe = text_safe_max(text, -1, 120);
        value_wrong(from, at, "'%s' %s", safe, wrong);
    }
    return good;
}

static const char *nearest_choice(const char *word, const struct choice *choices)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (; choices->name; choices++)
        g_ptr_array_add(names, (gpointer)choices->name);
    g_ptr_array_add(names, NULL);
    return text_nearest(word, (const char *const *)names->pdata);
}

/* A choice between yes, no, and something else takes TOML's own true and false. */
static const char *choice_text(const value_source *from, const toml_tree *node,
                               const struct choice *choices)
{
    const char *word = node->boolean ? "true" : "false";
    if (node->kind == TOML_BOOLEAN && choice_by_name(choices, word))
        return word;
    return value_text(from, node);
}

const struct choice *value_choice(const value_source *from, const toml_tree *node,
                                  const struct choice *choices)
{
    const char *text = choice_text(from, node, choices);
    if (!text)
        return NULL;
    const struct choice *choice = choice_by_name(choices, text);
    if (choice)
        return choice;
    g_autofree char *safe = text_safe_max(text, -1, 120);
    g_autofree char *names = schema_choice_names(choices);
    const char *nearest = nearest_choice(text, choices);
    value_wrong(from, node->at, "'%s' must be one of %s%s%s%s", safe, names,
                nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
    return NULL;
}

/* A percentage is rounded down to this: MemTotal differs by a little between kernels, and a limit
 * that moves would look like a changed plan. */
#define PERCENT_STEP ((gint64)64 << 20)

static gboolean value_read_string(const value_source *from, const toml_tree *node, void *field)
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

static gboolean value_read_bool(const value_source *from, const toml_tree *node, void *field)
{
    if (node->kind != TOML_BOOLEAN)
        return value_wrong_kind(from, node, "true or false");
    *(gboolean *)field = node->boolean;
    return TRUE;
}

static gboolean value_read_enum(const value_source *from, const toml_tree *node, void *field)
{
    const struct choice *choice = value_choice(from, node, from->row->choices);
    if (!choice)
        return FALSE;
    *(int *)field = choice->value;
    return TRUE;
}

static gboolean in_range(const schema_key *row, double value)
{
    return (value == 0 && row->zero) || (value >= row->least && value <= row->most);
}

static gboolean wrong_range(const value_source *from, toml_place at, const char *least,
                            const char *most)
{
    return value_wrong(from, at, "must be from %s to %s%s", least, most,
                       from->row->zero ? ", or 0" : "");
}

static gboolean wrong_number(const value_source *from, toml_place at)
{
    char least[G_ASCII_DTOSTR_BUF_SIZE], most[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(least, sizeof least, "%.12g", from->row->least);
    g_ascii_formatd(most, sizeof most, "%.12g", from->row->most);
    return wrong_range(from, at, least, most);
}

static gboolean value_read_int(const value_source *from, const toml_tree *node, void *field)
{
    if (node->kind != TOML_INTEGER)
        return value_wrong_kind(from, node, "a whole number");
    if (!in_range(from->row, node->integer))
        return wrong_number(from, node->at);
    *(gint64 *)field = node->integer;
    return TRUE;
}

static gboolean value_read_double(const value_source *from, const toml_tree *node, void *field)
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

static gboolean value_read_size(const value_source *from, const toml_tree *node, void *field)
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
        if (!(percent ? parse_percent : units_parse_size)(text, &bytes)) {
            g_autofree char *safe = text_safe_max(text, -1, 120);
            return value_wrong(from, node->at, "'%s' must be a size such as \"512M\" or \"8G\"%s",
                               safe,
                               row->percent ? ", or a percentage from \"1%\" to \"100%\"" : "");
        }
    }
    if (!in_range(row, bytes)) {
        g_autofree char *least = units_format_size(row->least);
        g_autofree char *most = units_format_size(row->most);
        return wrong_range(from, node->at, least, most);
    }
    *(gint64 *)field = bytes;
    return TRUE;
}

static gboolean value_read_duration(const value_source *from, const toml_tree *node, void *field)
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
        if (!units_parse_duration(text, &seconds)) {
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

static void clear_string(void *field)
{
    g_clear_pointer((char **)field, g_free);
}

static void clear_list(void *field)
{
    g_clear_pointer((char ***)field, g_strfreev);
}

static void clear_array(void *field)
{
    g_clear_pointer((GPtrArray **)field, g_ptr_array_unref);
}

static const struct {
    value_reader read;
    void (*clear)(void *field); /* NULL: holds no memory */
} kinds[] = {
    [SCHEMA_STRING] = {value_read_string, clear_string},
    [SCHEMA_BOOL] = {value_read_bool},
    [SCHEMA_ENUM] = {value_read_enum},
    [SCHEMA_INT] = {value_read_int},
    [SCHEMA_DOUBLE] = {value_read_double},
    [SCHEMA_SIZE] = {value_read_size},
    [SCHEMA_DURATION] = {value_read_duration},
    [SCHEMA_LIST] = {value_read_list, clear_list},
    [SCHEMA_MAP] = {value_read_map, clear_list},
    [SCHEMA_PORTS] = {value_read_ports, clear_array},
    [SCHEMA_SHARES] = {value_read_shares, clear_array},
    [SCHEMA_MOUNTS] = {value_read_mounts, clear_array},
    [SCHEMA_RAW] = {value_read_raw, clear_string},
};
G_STATIC_ASSERT(G_N_ELEMENTS(kinds) == N_SCHEMA_KINDS);

gboolean value_read(const value_source *from, const toml_tree *node, void *field)
{
    schema_kind kind = from->row->kind;
    /* Duplicates are looked for one by one. */
    if (kind != SCHEMA_RAW && node->children && node->children->len > VALUE_ENTRIES_MAX)
        return value_wrong(from, node->at, "must have at most %d entries", VALUE_ENTRIES_MAX);
    return kinds[kind].read(from, node, field);
}

void value_clear(schema_kind kind, void *field)
{
    if (kinds[kind].clear)
        kinds[kind].clear(field);
}
