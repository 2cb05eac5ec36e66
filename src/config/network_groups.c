#include "config/network_groups.h"

#include <string.h>

#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "config/check.h"
#include "config/layer.h"
#include "config/toml.h"

/* Entries of one group. */
#define HOSTS_MAX 256
#define SUFFIX ".toml"

static const char *const computed[] = {"@apt", "@npm", NULL};

gboolean network_group_is(const char *entry)
{
    return *entry == '@';
}

static char *file_name(const char *entry)
{
    return g_strdup_printf("network/%s" SUFFIX, entry + 1);
}

static char *user_file(const char *entry)
{
    g_autofree char *name = file_name(entry);
    return paths_config(name);
}

gboolean network_group_is_computed(const char *entry)
{
    g_autofree char *own = g_strv_contains(computed, entry) ? user_file(entry) : NULL;
    return own && !g_file_test(own, G_FILE_TEST_EXISTS);
}

/* Parsing. */

static gboolean group_wrong(const char *file, toml_place at, GError **error, const char *format,
                            ...) G_GNUC_PRINTF(4, 5);

static gboolean group_wrong(const char *file, toml_place at, GError **error, const char *format,
                            ...)
{
    va_list values;
    va_start(values, format);
    g_autofree char *what = g_strdup_vprintf(format, values);
    va_end(values);
    g_autofree char *safe = text_safe(file, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG, "%s:%u:%u: %s", safe, at.line, at.column, what);
    return FALSE;
}

static gboolean parse_host(const char *file, const toml_tree *node, gboolean denies, GPtrArray *out,
                           GError **error)
{
    const char *why = "must be a rule, such as \"api.example.com\"";
    gboolean is_text = node->kind == TOML_STRING && strlen(node->string) == node->length;
    char *rule = NULL;
    if (is_text)
        rule = denies ? check_deny(node->string, &why) : check_allow(node->string, &why);
    if (rule) {
        g_ptr_array_add(out, rule);
        return TRUE;
    }
    g_autofree char *safe = text_safe_max(is_text ? node->string : "", -1, 120);
    return group_wrong(file, node->at, error, "hosts: '%s' %s", safe, why);
}

char **network_group_parse(const char *file, const char *text, gsize length, gboolean denies,
                           GError **error)
{
    toml_place at;
    g_autofree char *message = NULL;
    g_autoptr(toml_tree) root = toml_parse(text, length, &at, &message);
    g_autoptr(GPtrArray) out = g_ptr_array_new_with_free_func(g_free);
    if (!root) {
        group_wrong(file, at, error, "%s", message);
        return NULL;
    }
    const toml_tree *hosts = toml_get(root, "hosts");
    if (!hosts || hosts->kind != TOML_ARRAY || root->children->len != 1 ||
        hosts->children->len > HOSTS_MAX) {
        group_wrong(file, hosts ? hosts->at : (toml_place){1, 1}, error,
                    "a group has one key, hosts = [\"api.example.com\"], with at most %d rules",
                    HOSTS_MAX);
        return NULL;
    }
    for (guint i = 0; i < hosts->children->len; i++)
        if (!parse_host(file, hosts->children->pdata[i], denies, out, error))
            return NULL;
    g_ptr_array_add(out, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&out), FALSE);
}

/* Reading. */

static gboolean read_file(const char *entry, char **file, char **data, gsize *length,
                          GError **error)
{
    g_autofree char *name = file_name(entry);
    *file = user_file(entry);
    if (!layer_read_own_file(*file, data, length, error))
        return FALSE;
    if (*data)
        return TRUE;
    g_free(*file);
    *file = paths_share(name);
    return layer_read_own_file(*file, data, length, error);
}

static gboolean unknown(const char *entry, GError **error)
{
    g_auto(GStrv) names = network_group_names();
    g_autofree char *all = g_strjoinv(", ", names);
    g_autofree char *safe = text_safe(all, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                "there is no group '%s' of [network] allow and deny; there are %s, and those that "
                "you add as ~/.config/litterbox/network/NAME.toml",
                entry, safe);
    return FALSE;
}

/* Adds the rules of ENTRY to OUT. DEPTH: groups that it is in. */
static gboolean add_rules_of(const char *entry, gboolean denies, int depth, GPtrArray *out,
                             GError **error)
{
    g_autofree char *file = NULL, *data = NULL;
    gsize length = 0;
    if (network_group_is_computed(entry)) {
        g_ptr_array_add(out, g_strdup(entry));
        return TRUE;
    }
    if (!read_file(entry, &file, &data, &length, error))
        return FALSE;
    if (!data)
        return unknown(entry, error);
    g_auto(GStrv) rules = network_group_parse(file, data, length, denies, error);
    for (char **rule = rules; rule && *rule; rule++) {
        if (!network_group_is(*rule)) {
            g_ptr_array_add(out, g_strdup(*rule));
        } else if (depth > 0) {
            return group_wrong(file, (toml_place){1, 1}, error,
                               "hosts: '%s': a group in a group may name no further group", *rule);
        } else if (!add_rules_of(*rule, denies, depth + 1, out, error)) {
            return FALSE;
        }
    }
    return rules != NULL;
}

char **network_group_read(const char *entry, gboolean denies, GError **error)
{
    const char *why;
    g_autofree char *good = check_allow(entry, &why);
    g_autoptr(GPtrArray) out = g_ptr_array_new_with_free_func(g_free);
    if (!good || !network_group_is(good) || !add_rules_of(good, denies, 0, out, error))
        return NULL;
    g_ptr_array_add(out, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&out), FALSE);
}

static void add_names(const char *folder, GPtrArray *out)
{
    g_autoptr(GDir) files = g_dir_open(folder, 0, NULL);
    for (const char *name; files && (name = g_dir_read_name(files));) {
        const char *why;
        g_autofree char *entry =
            g_str_has_suffix(name, SUFFIX)
                ? g_strdup_printf("@%.*s", (int)(strlen(name) - strlen(SUFFIX)), name)
                : NULL;
        g_autofree char *good = entry ? check_allow(entry, &why) : NULL;
        if (good && !g_ptr_array_find_with_equal_func(out, good, g_str_equal, NULL))
            g_ptr_array_add(out, g_steal_pointer(&good));
    }
}

char **network_group_names(void)
{
    g_autofree char *own = paths_config("network"), *installed = paths_share("network");
    GPtrArray *out = g_ptr_array_new();
    for (const char *const *name = computed; *name; name++)
        g_ptr_array_add(out, g_strdup(*name));
    add_names(own, out);
    add_names(installed, out);
    g_ptr_array_sort(out, text_compare);
    g_ptr_array_add(out, NULL);
    return (char **)g_ptr_array_free(out, FALSE);
}
