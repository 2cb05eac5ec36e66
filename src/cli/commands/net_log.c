#include "cli/commands/net_log.h"

#include <stdio.h>
#include <string.h>

#include "box/helpers/network_log.h"
#include "common/text.h"
#include "common/units.h"
#include "config/network_groups.h"
#include "console/log.h"
#include "console/output.h"

/* TIME in microseconds as in RFC 3339 with milliseconds, in UTC or in the local zone. */
static char *format_time(gint64 time, gboolean utc)
{
    g_autoptr(GDateTime) at = utc ? g_date_time_new_from_unix_utc(time / G_USEC_PER_SEC)
                                  : g_date_time_new_from_unix_local(time / G_USEC_PER_SEC);
    g_autofree char *seconds =
        g_date_time_format(at, utc ? "%Y-%m-%dT%H:%M:%S" : "%Y-%m-%d %H:%M:%S");
    return g_strdup_printf("%s.%03d%s", seconds, (int)(time % G_USEC_PER_SEC / 1000),
                           utc ? "Z" : "");
}

/* "NAME:PORT", "NAME" or "other names"; a new string. */
static char *target_of(const struct network_record *record)
{
    if (!record->name[0])
        return g_strdup(record->kind == NETWORK_NAME ? "other names" : "other hosts");
    return record->port ? g_strdup_printf("%s:%u", record->name, record->port)
                        : g_strdup(record->name);
}

/* The log. */

typedef struct {
    const char *box;
    gboolean denied, json;
    table *out; /* NULL: lines are printed as they come */
} printer;

static json_t *to_json(const printer *self, gint64 time, const struct network_record *record)
{
    g_autofree char *at = format_time(time, TRUE);
    g_autofree char *rule = network_record_rule(record);
    return json_pack(
        "{s:o, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:I}", "time", json_text(at),
        "box", self->box, "decision", network_decision_name(record->decision), "kind",
        record->kind == NETWORK_NAME ? "name" : "connection", "program", json_null(), "name",
        json_text(record->name), "port", record->port ? json_count(record->port) : json_null(),
        "rule", json_text(rule), "reason", json_text(record->reason), "sent",
        json_count((gint64)record->sent), "received", json_count((gint64)record->received),
        "duration", (double)record->ms / 1000, "count", (json_int_t)record->count);
}

/* Why it was decided so: the reason, else the rule. */
static char *why_of(const struct network_record *record)
{
    char *rule = record->reason[0] ? g_strdup(record->reason) : network_record_rule(record);
    return rule ? rule : g_strdup("");
}

static void print_cells(const printer *self, gint64 time, const struct network_record *record)
{
    g_autofree char *at = format_time(time, FALSE), *target = target_of(record);
    g_autofree char *sent = units_format_size((gint64)record->sent);
    g_autofree char *received = units_format_size((gint64)record->received);
    g_autofree char *took = g_strdup_printf("%.1f s", (double)record->ms / 1000);
    g_autofree char *times = g_strdup_printf("%" G_GUINT64_FORMAT, (guint64)record->count);
    g_autofree char *why = why_of(record);
    gboolean moved = record->decision != NETWORK_REFUSED;
    const char *const cells[] = {at,
                                 network_decision_name(record->decision),
                                 target,
                                 times,
                                 moved ? sent : "-",
                                 moved ? received : "-",
                                 moved ? took : "-",
                                 why};
    if (self->out) {
        for (gsize i = 0; i < G_N_ELEMENTS(cells); i++)
            table_add(self->out, cells[i]);
        return;
    }
    /* All of it is printable ASCII (network_record_parse). */
    printf("%s  %-8s  %s  %sx  %s  %s  %s  %s\n", cells[0], cells[1], cells[2], cells[3], cells[4],
           cells[5], cells[6], cells[7]);
    fflush(stdout);
}

static void print_record(gint64 time, const struct network_record *record, gpointer user_data)
{
    const printer *self = user_data;
    if (self->denied && record->decision == NETWORK_ALLOWED)
        return;
    if (self->json)
        json_print_line(to_json(self, time, record));
    else
        print_cells(self, time, record);
}

gboolean net_log_show(const struct box *self, gboolean follow, gboolean denied, gboolean json,
                      GError **error)
{
    static const char *const headings[] = {"TIME",     "DECISION", "TARGET", "COUNT", "SENT",
                                           "RECEIVED", "TOOK",     "WHY",    NULL};
    g_autoptr(table) out = table_new(headings);
    printer to = {self->name, denied, json, follow || json ? NULL : out};
    if (!network_log_each(self->runtime, follow, print_record, &to, error))
        return FALSE;
    if (to.out && table_is_empty(out))
        log_note("nothing has been %s", denied ? "refused" : "let out or refused");
    else if (to.out)
        table_print(out);
    return TRUE;
}

/* Suggestions. */

typedef struct {
    guint64 count;
    char *group; /* that has the rule, or NULL */
} wish;

static void wish_free(gpointer data)
{
    wish *self = data;
    g_free(self->group);
    g_free(self);
}

/* What a rule would allow: nothing of what a rule denies, or what no rule can let through. */
static gboolean is_wish(const struct network_record *record)
{
    return record->decision != NETWORK_ALLOWED && record->name[0] && !record->rule[0] &&
           strcmp(record->reason, NETWORK_NO_RULE) == 0;
}

static void add_wish(gint64 time, const struct network_record *record, gpointer user_data)
{
    GHashTable *wishes = user_data;
    struct network_rule rule;
    char text[NETWORK_RULE_SIZE];
    const char *wrong;
    g_autofree char *target = target_of(record);
    if (!is_wish(record) || network_rule_parse(target, false, &rule, &wrong) < 0)
        return;
    network_rule_text(&rule, text);
    wish *found = g_hash_table_lookup(wishes, text);
    if (!found) {
        found = g_new0(wish, 1);
        g_hash_table_insert(wishes, g_strdup(text), found);
    }
    found->count += record->count;
}

/* The first group with each rule: it may be what the user means. */
static void find_groups(GHashTable *wishes)
{
    g_auto(GStrv) groups = network_group_names();
    for (char **group = groups; *group; group++) {
        g_auto(GStrv) rules = network_group_read(*group, FALSE, NULL);
        for (char **rule = rules; rule && *rule; rule++) {
            wish *found = g_hash_table_lookup(wishes, *rule);
            if (found && !found->group)
                found->group = g_strdup(*group);
        }
    }
}

static void print_wishes(const struct box *self, GHashTable *wishes, GPtrArray *rules)
{
    printf("# what box '%s' wanted and no rule allows, for [network] of your configuration\n"
           "allow = [\n",
           self->name);
    for (guint i = 0; i < rules->len; i++) {
        const wish *one = g_hash_table_lookup(wishes, rules->pdata[i]);
        printf("    \"%s\", # %" G_GUINT64_FORMAT "x%s%s\n", (char *)rules->pdata[i], one->count,
               one->group ? ", in " : "", one->group ? one->group : "");
    }
    printf("]\n");
}

gboolean net_log_suggest(const struct box *self, gboolean json, GError **error)
{
    g_autoptr(GHashTable) wishes =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, wish_free);
    if (!network_log_each(self->runtime, FALSE, add_wish, wishes, error))
        return FALSE;
    find_groups(wishes);
    g_autoptr(GPtrArray) rules = g_ptr_array_new();
    GHashTableIter each;
    gpointer rule;
    g_hash_table_iter_init(&each, wishes);
    while (g_hash_table_iter_next(&each, &rule, NULL))
        g_ptr_array_add(rules, rule);
    g_ptr_array_sort(rules, text_compare);
    if (!json && rules->len)
        print_wishes(self, wishes, rules);
    else if (!json)
        log_note("nothing was refused that a rule would allow");
    json_t *list = json_array();
    for (guint i = 0; i < rules->len; i++) {
        const wish *one = g_hash_table_lookup(wishes, rules->pdata[i]);
        json_array_append_new(list,
                              json_pack("{s:s, s:I, s:o}", "rule", (char *)rules->pdata[i], "count",
                                        (json_int_t)one->count, "group", json_text(one->group)));
    }
    if (json)
        json_print(json_incref(list));
    json_decref(list);
    return TRUE;
}
