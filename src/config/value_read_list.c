#include "config/value.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "common/paths.h"
#include "common/text.h"
#include "config/check.h"

gboolean value_read_list(const value_source *from, const toml_tree *node, void *field)
{
    g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func(g_free);
    gboolean ok = TRUE;

    if (node->kind != TOML_ARRAY)
        return value_wrong_kind(from, node, "a list of strings");
    for (guint i = 0; i < node->children->len; i++) {
        const toml_tree *child = g_ptr_array_index(node->children, i);
        if (child->kind == TOML_TABLE && from->row->has_requests) {
            ok &= value_read_requests(from, child, list);
            continue;
        }
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

gboolean value_read_map(const value_source *from, const toml_tree *node, void *field)
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

gboolean value_read_raw(const value_source *from, const toml_tree *node, void *field)
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

static void replace(void *field, GPtrArray *list)
{
    GPtrArray **array = field;
    if (*array)
        g_ptr_array_unref(*array);
    *array = list;
}

static GPtrArray *new_mounts(void)
{
    return g_ptr_array_new_with_free_func((GDestroyNotify)settings_mount_free);
}

/* The place of the mount on TARGET in LIST, or -1. */
static int find_target(const GPtrArray *list, const char *target)
{
    for (guint i = 0; list && i < list->len; i++) {
        const settings_mount *mount = g_ptr_array_index(list, i);
        if (g_str_equal(mount->target, target))
            return i;
    }
    return -1;
}

static settings_mount *read_share(const value_source *from, const toml_tree *node)
{
    const char *text = value_text(from, node);
    enum mount_mode mode = MODE_RO;
    if (!text)
        return NULL;
    g_autofree char *path = g_strdup(text);
    if (g_str_has_suffix(path, ":rw"))
        mode = MODE_RW;
    if (mode == MODE_RW || g_str_has_suffix(path, ":ro"))
        path[strlen(path) - 3] = '\0';
    g_autofree char *source = value_checked(from, node->at, path, check_share);
    if (!source)
        return NULL;
    g_autofree char *same = paths_expand(source);
    g_autofree char *target = value_checked(from, node->at, same, check_target);
    return target ? settings_mount_new(source, target, mode) : NULL;
}

gboolean value_read_shares(const value_source *from, const toml_tree *node, void *field)
{
    g_autoptr(GPtrArray) list = new_mounts();
    gboolean ok = TRUE;

    if (node->kind != TOML_ARRAY)
        return value_wrong_kind(from, node, "a list of \"path[:ro|rw]\"");
    for (guint i = 0; i < node->children->len; i++) {
        const toml_tree *child = g_ptr_array_index(node->children, i);
        settings_mount *mount = read_share(from, child);
        if (mount && find_target(list, mount->target) >= 0) {
            settings_mount_free(g_steal_pointer(&mount));
            value_wrong(from, child->at, "this path is shared twice");
        }
        if (mount)
            g_ptr_array_add(list, mount);
        else
            ok = FALSE;
    }
    if (ok)
        replace(field, g_steal_pointer(&list));
    return ok;
}

static gboolean known_mount_keys(const value_source *from, const toml_tree *node)
{
    const char *names[N_MOUNT_KEYS + 1] = {NULL};
    gboolean ok = TRUE;

    for (int i = 0; i < N_MOUNT_KEYS; i++)
        names[i] = schema_mount_keys[i].key;
    for (guint i = 0; i < node->children->len; i++) {
        const toml_tree *child = g_ptr_array_index(node->children, i);
        if (g_strv_contains(names, child->key))
            continue;
        const char *nearest = text_nearest(child->key, names);
        g_autofree char *safe = text_safe_max(child->key, -1, 80);
        ok = value_wrong(from, child->key_at, "unknown key '%s'%s%s%s", safe,
                         nearest ? "; did you mean \"" : " (source, target and mode are known)",
                         nearest ? nearest : "", nearest ? "\"?" : "");
    }
    return ok;
}

/* The text of KEY in the [[mount]] NODE as CHECK normalises it; FALLBACK where it is not set or "".
 */
static char *read_part(const value_source *from, const toml_tree *node, int key,
                       const char *fallback, schema_check check)
{
    value_source part = *from;
    part.key = schema_mount_keys[key].key;
    const toml_tree *child = toml_get(node, part.key);
    const char *text = child ? value_text(&part, child) : "";
    if (!text)
        return NULL;
    if (*text || fallback)
        return value_checked(&part, child ? child->at : node->at, *text ? text : fallback, check);
    value_wrong(&part, node->at, "is missing");
    return NULL;
}

static gboolean read_mode(const value_source *from, const toml_tree *node, enum mount_mode *mode)
{
    value_source part = *from;
    part.key = schema_mount_keys[MOUNT_MODE].key;
    const toml_tree *child = toml_get(node, part.key);
    const struct choice *choice = child ? value_choice(&part, child, mount_mode_choices) : NULL;
    *mode = choice ? (enum mount_mode)choice->value : MODE_RO;
    return choice || !child;
}

static settings_mount *read_mount(const value_source *from, const toml_tree *node)
{
    enum mount_mode mode;
    if (node->kind != TOML_TABLE) {
        value_wrong_kind(from, node, "tables: [[mount]]");
        return NULL;
    }
    gboolean ok = known_mount_keys(from, node);
    ok &= read_mode(from, node, &mode);
    g_autofree char *source = read_part(from, node, MOUNT_SOURCE, NULL, check_source);
    g_autofree char *same = source ? paths_expand(source) : NULL;
    /* Without a source any target will do: that problem is noted already. */
    g_autofree char *target =
        read_part(from, node, MOUNT_TARGET, same ? same : "/home/none", check_target);
    return ok && source && target ? settings_mount_new(source, target, mode) : NULL;
}

gboolean value_read_mounts(const value_source *from, const toml_tree *node, void *field)
{
    g_autoptr(GPtrArray) list = new_mounts();
    const GPtrArray *old = *(GPtrArray **)field;
    gboolean ok = TRUE;

    if (node->kind != TOML_ARRAY)
        return value_wrong(from, node->at, "must be written [[mount]], one for each");
    for (guint i = 0; i < node->children->len; i++) {
        const toml_tree *child = g_ptr_array_index(node->children, i);
        settings_mount *mount = read_mount(from, child);
        if (mount && find_target(list, mount->target) >= 0) {
            settings_mount_free(g_steal_pointer(&mount));
            value_wrong(from, child->at, "another [[mount]] has the same target");
        }
        if (mount)
            g_ptr_array_add(list, mount);
        else
            ok = FALSE;
    }
    if (!ok)
        return FALSE;
    /* Those of earlier files stay, in front; the later file wins over the same target. */
    guint at = 0;
    for (guint i = 0; old && i < old->len; i++) {
        const settings_mount *m = g_ptr_array_index(old, i);
        if (find_target(list, m->target) < 0)
            g_ptr_array_insert(list, at++, settings_mount_new(m->source, m->target, m->mode));
    }
    replace(field, g_steal_pointer(&list));
    return TRUE;
}

static port_mapping *read_port(const value_source *from, const toml_tree *node)
{
    g_autofree char *text = NULL;
    if (node->kind == TOML_INTEGER) {
        text = g_strdup_printf("%" G_GINT64_FORMAT, node->integer);
    } else {
        text = g_strdup(value_text(from, node));
        if (!text)
            return NULL;
    }
    port_mapping *port = port_mapping_parse(text);
    if (!port) {
        g_autofree char *safe = text_safe_max(text, -1, 120);
        value_wrong(from, node->at,
                    "'%s' must be a port such as 8080, \"8080:80\", \"0.0.0.0:8080:80\" or "
                    "\"5353:53/udp\"",
                    safe);
    }
    return port;
}

gboolean value_read_ports(const value_source *from, const toml_tree *node, void *field)
{
    g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func((GDestroyNotify)port_mapping_free);
    gboolean ok = TRUE;

    if (node->kind != TOML_ARRAY)
        return value_wrong_kind(from, node, "a list of ports");
    for (guint i = 0; i < node->children->len; i++) {
        const toml_tree *child = g_ptr_array_index(node->children, i);
        port_mapping *port = read_port(from, child);
        if (port &&
            g_ptr_array_find_with_equal_func(list, port, port_mapping_same_host_side, NULL)) {
            port_mapping_free(g_steal_pointer(&port));
            value_wrong(from, child->at, "this port of the host is published twice");
        }
        if (port)
            g_ptr_array_add(list, port);
        else
            ok = FALSE;
    }
    if (ok)
        replace(field, g_steal_pointer(&list));
    return ok;
}
