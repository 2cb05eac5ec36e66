#include "mcp/refused_hosts.h"

#include <string.h>
#include <unistd.h>

#include "box/helpers/network_log.h"
#include "box/helpers/network_unmatched.h"

/* Commands, and rules, in one answer. */
#define NAMED_MAX 3

typedef struct {
    gint64 since;
    network_unmatched *unmatched;
    GPtrArray *denied;                /* of "NAME (deny RULE)", each once */
    char answer[NETWORK_REASON_SIZE]; /* "the user said no"; "": nobody was asked */
} refused;

static void add_record(gint64 time, const struct network_record *record, gpointer data)
{
    refused *self = data;
    if (record->decision != NETWORK_REFUSED || time < self->since)
        return;
    /* A question is about what no rule allows, whatever became of it. */
    struct network_record copy = *record;
    if (g_str_has_prefix(record->reason, NETWORK_ASKED)) {
        g_strlcpy(self->answer, record->reason, sizeof self->answer);
        g_strlcpy(copy.reason, NETWORK_NO_RULE, sizeof copy.reason);
    }
    network_unmatched_add(self->unmatched, &copy);
    g_autofree char *rule = network_record_rule(record);
    if (!rule || !record->name[0] || self->denied->len > NAMED_MAX)
        return;
    char *text = g_strdup_printf("%s (%s)", record->name, rule);
    if (g_ptr_array_find_with_equal_func(self->denied, text, g_str_equal, NULL))
        g_free(text);
    else
        g_ptr_array_add(self->denied, text);
}

static void add_commands(GString *text, const char *name, const GPtrArray *list, const char *answer)
{
    if (list->len)
        g_string_append_printf(text,
                               "no rule of the box's network allows what it wanted to reach%s%s; "
                               "only the user can allow it: ",
                               *answer ? ", and " : "", answer);
    for (guint i = 0; i < list->len && i < NAMED_MAX; i++)
        g_string_append_printf(text, "%s'box net allow %s %s'", i ? ", " : "", name,
                               ((const network_suggestion *)list->pdata[i])->entry);
    if (list->len > NAMED_MAX)
        g_string_append_printf(text, " and %u more", list->len - NAMED_MAX);
}

static void add_denied(GString *text, const GPtrArray *denied)
{
    if (denied->len)
        g_string_append_printf(text, "%sa rule that only the user can change refuses ",
                               text->len ? "; " : "");
    for (guint i = 0; i < denied->len && i < NAMED_MAX; i++)
        g_string_append_printf(text, "%s%s", i ? ", " : "", (const char *)denied->pdata[i]);
    if (denied->len > NAMED_MAX)
        g_string_append(text, " and others");
}

gboolean refused_hosts_may_be(const char *runtime)
{
    g_autofree char *log = g_build_filename(runtime, NETWORK_RECORDS ".log", NULL);
    return access(log, F_OK) == 0;
}

char *refused_hosts_describe(const char *name, const char *runtime, gint64 since)
{
    g_autoptr(network_unmatched) unmatched = network_unmatched_new();
    g_autoptr(GPtrArray) denied = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) none = g_ptr_array_new();
    /* The log has milliseconds. */
    refused found = {.since = since - since % 1000, .unmatched = unmatched, .denied = denied};
    network_log_each(runtime, FALSE, add_record, &found, NULL);
    g_autoptr(GPtrArray) list = network_unmatched_suggest(unmatched, NULL, none);
    g_autoptr(GString) text = g_string_new(NULL);
    add_commands(text, name, list, found.answer);
    add_denied(text, denied);
    return text->len ? g_string_free(g_steal_pointer(&text), FALSE) : NULL;
}
