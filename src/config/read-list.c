/* Readers of lists, maps and tables: see value.h. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "config/value.h"

gboolean read_list(const value_source *from, const toml_tree *node, void *field)
{
    g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func(g_free);
    gboolean ok = TRUE;

    if (node->kind != TOML_ARRAY)
        return value_wrong_kind(from, node, "a list of strings");
    for (guint i = 0; i < node->children->len; i++) {
        const toml_tree *child = g_ptr_array_index(node->children, i);
        const char *text = value_text(from, child);
        char *good = text ? value_checked(from, child->at, text, from->row->check) : NULL;
        if (!good)
            ok = FALSE;
        else if (!from->row->repeats &&
                 g_ptr_array_find_with_equal_func(list, good, g_str_equal, NULL))
            g_free(good);
        else
            g_ptr_array_add(list, good);
    }
    if (!ok)
        return FALSE;
    g_ptr_array_add(list, NULL);
    g_strfreev(*(char ***)field);
    *(char ***)field = (char **)g_ptr_array_free(g_steal_pointer(&list), FALSE);
    return TRUE;
}

/* Compares "K=V" by K alone. */
static gint by_name(gconstpointer a, gconstpointer b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    gsize nx = strcspn(x, "="), ny = strcspn(y, "=");
    int order = memcmp(x, y, MIN(nx, ny));
    return order ? order : (int)nx - (int)ny;
}

static char *read_pair(const value_source *from, const toml_tree *node)
{
    g_autofree char *name = value_checked(from, node->key_at, node->key, from->row->check_key);
    const char *text = value_text(from, node);
    g_autofree char *value = text ? value_checked(from, node->at, text, from->row->check) : NULL;
    return name && value ? g_strdup_printf("%s=%s", name, value) : NULL;
}

gboolean read_map(const value_source *from, const toml_tree *node, void *field)
{
    g_autoptr(GPtrArray) pairs = g_ptr_array_new_with_free_func(g_free);
    gboolean ok = TRUE;

    if (node->kind != TOML_TABLE)
        return value_wrong_kind(from, node, "a table of names and strings");
    for (guint i = 0; i < node->children->len; i++) {
        char *pair = read_pair(from, g_ptr_array_index(node->children, i));
        if (pair)
            g_ptr_array_add(pairs, pair);
        else
            ok = FALSE;
    }
    if (!ok)
        return FALSE;
    guint fresh = pairs->len;
    for (char **old = *(char ***)field; old && *old; old++) {
        gboolean replaced = FALSE;
        for (guint i = 0; i < fresh && !replaced; i++)
            replaced = by_name(old, &g_ptr_array_index(pairs, i)) == 0;
        if (!replaced)
            g_ptr_array_add(pairs, g_strdup(*old));
    }
    g_ptr_array_sort(pairs, by_name);
    g_ptr_array_add(pairs, NULL);
    g_strfreev(*(char ***)field);
    *(char ***)field = (char **)g_ptr_array_free(g_steal_pointer(&pairs), FALSE);
    return TRUE;
}

static gboolean add_json(const value_source *from, json_t *parent, const toml_tree *node);

static json_t *to_json_compound(const value_source *from, const toml_tree *node)
{
    json_t *parent = node->kind == TOML_TABLE ? json_object() : json_array();
    gboolean ok = TRUE;
    for (guint i = 0; i < node->children->len; i++)
        ok &= add_json(from, parent, g_ptr_array_index(node->children, i));
    if (!ok)
        g_clear_pointer(&parent, json_decref);
    return parent;
}

/* A new reference, or NULL and a problem. */
static json_t *to_json(const value_source *from, const toml_tree *node)
{
    switch (node->kind) {
    case TOML_STRING: {
        const char *text = value_text(from, node);
        return text ? json_string(text) : NULL;
    }
    case TOML_INTEGER:
        return json_integer(node->integer);
    case TOML_DOUBLE:
        if (isfinite(node->number))
            return json_real(node->number);
        value_wrong(from, node->at, "JSON has no infinity and no NaN");
        return NULL;
    case TOML_BOOLEAN:
        return json_boolean(node->boolean);
    case TOML_DATE:
        value_wrong(from, node->at, "JSON has no date: write it as a string");
        return NULL;
    case TOML_ARRAY:
    case TOML_TABLE:
        break;
    }
    return to_json_compound(from, node);
}

static gboolean add_json(const value_source *from, json_t *parent, const toml_tree *node)
{
    json_t *child = to_json(from, node);
    if (!child)
        return FALSE;
    if (json_is_object(parent))
        return json_object_set_new(parent, node->key, child) == 0;
    return json_array_append_new(parent, child) == 0;
}

gboolean read_raw(const value_source *from, const toml_tree *node, void *field)
{
    char **text = field;
    if (node->kind != TOML_TABLE)
        return value_wrong_kind(from, node, "a table");
    json_t *fresh = to_json(from, node);
    if (!fresh)
        return FALSE;
    if (json_object_size(fresh) > 0) {
        json_t *merged = *text ? json_loads(*text, 0, NULL) : json_object();
        json_object_update(merged, fresh);
        g_free(*text);
        char *json = json_dumps(merged, JSON_COMPACT | JSON_SORT_KEYS);
        *text = g_strdup(json);
        free(json);
        json_decref(merged);
    }
    json_decref(fresh);
    return TRUE;
}
