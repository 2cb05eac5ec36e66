#include "config/value.h"

#include <string.h>

#include "common/text.h"

static gboolean known_request_keys(const value_source *from, const toml_tree *node)
{
    static const char *const names[] = {"host", "methods", "paths", NULL};
    for (guint i = 0; i < node->children->len; i++) {
        const toml_tree *child = g_ptr_array_index(node->children, i);
        g_autofree char *safe = text_safe_max(child->key, -1, 80);
        if (!g_strv_contains(names, child->key))
            return value_wrong(from, child->key_at,
                               "unknown key '%s' (host, methods and paths are known)", safe);
    }
    return TRUE;
}

/* The texts of KEY, borrowed; one "" where it is not set. NULL with a problem. */
static GPtrArray *request_texts(const value_source *from, const toml_tree *node, const char *key)
{
    g_autoptr(GPtrArray) texts = g_ptr_array_new();
    const toml_tree *child = toml_get(node, key);
    if (child && (child->kind != TOML_ARRAY || child->children->len == 0)) {
        value_wrong(from, child->at, "%s must be a list of strings, and not be empty", key);
        return NULL;
    }
    for (guint i = 0; child && i < child->children->len; i++) {
        const char *text = value_text(from, g_ptr_array_index(child->children, i));
        if (!text)
            return NULL;
        if (!*text) {
            value_wrong(from, child->at, "%s must have no empty text", key);
            return NULL;
        }
        g_ptr_array_add(texts, (char *)text);
    }
    if (!child)
        g_ptr_array_add(texts, "");
    return g_steal_pointer(&texts);
}

static gboolean add_request_rule(const value_source *from, const toml_tree *node, const char *host,
                                 const char *method, const char *path, GPtrArray *list)
{
    g_autofree char *text = g_strdup_printf("%s%s%s%s", method, *method ? " " : "", host, path);
    if (*path && *path != '/')
        return value_wrong(from, node->at, "a path must begin with '/'");
    char *rule = value_checked(from, node->at, text, from->row->check);
    if (!rule)
        return FALSE;
    if (list->len >= VALUE_ENTRIES_MAX) {
        g_free(rule);
        return value_wrong(from, node->at, "must have at most %d entries", VALUE_ENTRIES_MAX);
    }
    if (g_ptr_array_find_with_equal_func(list, rule, g_str_equal, NULL))
        g_free(rule);
    else
        g_ptr_array_add(list, rule);
    return TRUE;
}

gboolean value_read_requests(const value_source *from, const toml_tree *node, GPtrArray *list)
{
    const toml_tree *child = toml_get(node, "host");
    if (!known_request_keys(from, node))
        return FALSE;
    const char *host = child ? value_text(from, child) : NULL;
    if (!host)
        return child ? FALSE : value_wrong(from, node->at, "a table must have a host");
    /* One text of three could say something else than the three. */
    if (strpbrk(host, " /"))
        return value_wrong(from, child->at, "host must be a name, and perhaps :PORT");
    g_autoptr(GPtrArray) methods = request_texts(from, node, "methods");
    g_autoptr(GPtrArray) paths = methods ? request_texts(from, node, "paths") : NULL;
    for (guint i = 0; paths && i < methods->len; i++)
        for (guint j = 0; j < paths->len; j++)
            if (!add_request_rule(from, node, host, methods->pdata[i], paths->pdata[j], list))
                return FALSE;
    return paths != NULL;
}
