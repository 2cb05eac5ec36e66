#include "cli/commands/net.h"

#include "box/helpers/gate_list.h"
#include "common/text.h"
#include "config/check.h"
#include "config/config.h"
#include "config/layer.h"
#include "console/log.h"

char *net_check_rule(const char *text, gboolean denies, GError **error)
{
    const char *wrong = NULL;
    g_autofree char *rule = denies ? check_deny(text, &wrong) : check_allow(text, &wrong);
    g_autofree char *safe = text_safe_max(text, -1, 120);
    if (!rule)
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "'%s' %s", safe, wrong);
    return g_steal_pointer(&rule);
}

/* Adds to LIST what the command line has, normalised. FALSE with ERROR. */
static gboolean add_given(char ***list, const char *const *rules, gboolean denies, GError **error)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(g_free);
    for (char **rule = *list; rule && *rule; rule++)
        g_ptr_array_add(all, g_strdup(*rule));
    for (; rules && *rules; rules++) {
        char *rule = net_check_rule(*rules, denies, error);
        if (!rule)
            return FALSE;
        g_ptr_array_add(all, rule);
    }
    g_ptr_array_add(all, NULL);
    g_strfreev(*list);
    *list = (char **)g_ptr_array_free(g_steal_pointer(&all), FALSE);
    return TRUE;
}

/* The settings of FILE; the defaults without. */
static settings *read_file(const char *file, GError **error)
{
    g_autoptr(settings) into = settings_new_defaults();
    g_autoptr(problems) wrong = problems_new();
    into->network.mode = NETWORK_FILTERED; /* a list of rules need not have a mode */
    g_autofree char *data = NULL;
    gsize length = 0;
    g_autofree gboolean *set = g_new0(gboolean, schema_count);
    layer each = {.file = file, .origin = ORIGIN_FLAG, .problems = wrong, .into = into, .set = set};
    if (file && !layer_read_own_file(file, &data, &length, error))
        return NULL;
    if (file && !data) {
        g_autofree char *safe = text_safe(file, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND, "there is no file '%s'", safe);
        return NULL;
    }
    if (data)
        layer_apply(&each, data, length);
    config_complete_network(into, set[schema_find("network", "ask") - schema_keys]);
    return problems_check(wrong, error) ? g_steal_pointer(&into) : NULL;
}

int net_check(const net_check_rules *rules, char *const *hosts, gboolean json, GError **error)
{
    gboolean are_allowed;
    g_autoptr(GPtrArray) missing = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(settings) list = read_file(rules->file, error);
    if (!list || !add_given(&list->network.allow, rules->allow, FALSE, error) ||
        !add_given(&list->network.deny, rules->deny, TRUE, error))
        return -1;
    g_autofree char *text = gate_list_text(NULL, list, GATE_LIST_NEXT, missing, error);
    for (guint i = 0; i < missing->len; i++)
        log_warning("'%s' depends on the image of a box: 'box net why' knows it",
                    (char *)missing->pdata[i]);
    g_autoptr(net_view) view = text ? net_view_new(text, NULL, FALSE) : NULL;
    if (!view || !net_show_check(view, hosts, json, &are_allowed, error))
        return -1;
    return are_allowed ? 0 : 1;
}
