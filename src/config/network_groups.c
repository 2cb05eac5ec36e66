#include "config/network_groups.h"

#include <string.h>

#include "common/text.h"
#include "config/check.h"
#include "config/data_files.h"

/* Entries of one group. */
#define HOSTS_MAX 256
#define GROUPS_FOLDER "network"

static const char *const computed[] = {"@apt", "@npm", NULL};

gboolean network_group_is(const char *entry)
{
    return *entry == '@';
}

gboolean network_group_is_computed(const char *entry)
{
    g_autofree char *own =
        g_strv_contains(computed, entry) ? data_file_own(GROUPS_FOLDER, entry + 1) : NULL;
    return own && !g_file_test(own, G_FILE_TEST_EXISTS);
}

/* Parsing. */

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
    return data_file_wrong(file, node->at, error, "hosts: '%s' %s", safe, why);
}

char **network_group_parse(const char *file, const char *text, gsize length, gboolean denies,
                           GError **error)
{
    toml_place at;
    g_autofree char *message = NULL;
    g_autoptr(toml_tree) root = toml_parse(text, length, &at, &message);
    g_autoptr(GPtrArray) out = g_ptr_array_new_with_free_func(g_free);
    if (!root) {
        data_file_wrong(file, at, error, "%s", message);
        return NULL;
    }
    const toml_tree *hosts = toml_get(root, "hosts");
    if (!hosts || hosts->kind != TOML_ARRAY || root->children->len != 1 ||
        hosts->children->len > HOSTS_MAX) {
        data_file_wrong(file, hosts ? hosts->at : (toml_place){1, 1}, error,
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
    if (!data_file_read(GROUPS_FOLDER, entry + 1, &file, &data, &length, error))
        return FALSE;
    if (!data)
        return unknown(entry, error);
    g_auto(GStrv) rules = network_group_parse(file, data, length, denies, error);
    for (char **rule = rules; rule && *rule; rule++) {
        if (!network_group_is(*rule)) {
            g_ptr_array_add(out, g_strdup(*rule));
        } else if (depth > 0) {
            return data_file_wrong(file, (toml_place){1, 1}, error,
                                   "hosts: '%s': a group in a group may name no further group",
                                   *rule);
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

static gboolean is_group_name(const char *name)
{
    const char *why;
    g_autofree char *entry = g_strconcat("@", name, NULL);
    g_autofree char *good = check_allow(entry, &why);
    return good != NULL;
}

char **network_group_names(void)
{
    g_auto(GStrv) files = data_file_names(GROUPS_FOLDER, is_group_name);
    GPtrArray *out = g_ptr_array_new();
    for (const char *const *name = computed; *name; name++)
        g_ptr_array_add(out, g_strdup(*name));
    for (char **name = files; *name; name++) {
        g_autofree char *entry = g_strconcat("@", *name, NULL);
        if (!g_strv_contains(computed, entry))
            g_ptr_array_add(out, g_steal_pointer(&entry));
    }
    g_ptr_array_sort(out, text_compare);
    g_ptr_array_add(out, NULL);
    return (char **)g_ptr_array_free(out, FALSE);
}
