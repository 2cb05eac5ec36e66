#include "config/value.h"

#include <string.h>

#include "common/text.h"

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
    [SCHEMA_STRING] = {read_string, clear_string},
    [SCHEMA_BOOL] = {read_bool},
    [SCHEMA_ENUM] = {read_enum},
    [SCHEMA_INT] = {read_int},
    [SCHEMA_DOUBLE] = {read_double},
    [SCHEMA_SIZE] = {read_size},
    [SCHEMA_DURATION] = {read_duration},
    [SCHEMA_LIST] = {read_list, clear_list},
    [SCHEMA_MAP] = {read_map, clear_list},
    [SCHEMA_PORTS] = {read_ports, clear_array},
    [SCHEMA_SHARES] = {read_shares, clear_array},
    [SCHEMA_MOUNTS] = {read_mounts, clear_array},
    [SCHEMA_RAW] = {read_raw, clear_string},
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

static const char *nearest_choice(const char *word, const schema_choice *choices)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (; choices->name; choices++) {
        if (!choices->missing)
            g_ptr_array_add(names, (gpointer)choices->name);
    }
    g_ptr_array_add(names, NULL);
    return text_nearest(word, (const char *const *)names->pdata);
}

/* A choice between yes, no, and something else takes TOML's own true and false. */
static const char *choice_text(const value_source *from, const toml_tree *node,
                               const schema_choice *choices)
{
    const char *word = node->boolean ? "true" : "false";
    for (; node->kind == TOML_BOOLEAN && choices->name; choices++)
        if (g_str_equal(choices->name, word))
            return word;
    return value_text(from, node);
}

const schema_choice *value_choice(const value_source *from, const toml_tree *node,
                                  const schema_choice *choices)
{
    const char *text = choice_text(from, node, choices);
    if (!text)
        return NULL;
    for (const schema_choice *choice = choices; choice->name; choice++) {
        if (!g_str_equal(choice->name, text))
            continue;
        if (!choice->missing)
            return choice;
        value_wrong(from, node->at,
                    "\"%s\" is not available in this version yet (it comes with %s)", choice->name,
                    choice->missing);
        return NULL;
    }
    g_autofree char *safe = text_safe_max(text, -1, 120);
    g_autofree char *names = schema_choice_names(choices);
    const char *nearest = nearest_choice(text, choices);
    value_wrong(from, node->at, "'%s' must be one of %s%s%s%s", safe, names,
                nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
    return NULL;
}
