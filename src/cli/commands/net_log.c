#include "cli/commands/net.h"

#include <stdio.h>
#include <string.h>

#include "box/helpers/network_log.h"
#include "box/helpers/network_unmatched.h"
#include "box/helpers/package_hosts.h"
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

static json_t *record_json(const printer *self, gint64 time, const struct network_record *record)
{
    g_autofree char *at = format_time(time, TRUE);
    g_autofree char *rule = network_record_rule(record);
    return json_pack(
        "{s:o, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:I, s:o}", "time",
        json_text(at), "box", self->box, "decision", network_decision_name(record->decision),
        "kind", record->kind == NETWORK_NAME ? "name" : "connection", "program",
        json_text(record->program), "name", json_text(record->name), "port",
        record->port ? json_count(record->port) : json_null(), "rule", json_text(rule), "reason",
        json_text(record->reason), "sent", json_count((gint64)record->sent), "received",
        json_count((gint64)record->received), "duration", (double)record->ms / 1000, "count",
        (json_int_t)record->count, "secret", json_text(record->secret));
}

/* Why it was decided so: the reason, else the rule. */
static char *why_of(const struct network_record *record)
{
    g_autofree char *rule =
        record->reason[0] ? g_strdup(record->reason) : network_record_rule(record);
    return g_strdup_printf("%s%s%s", rule ? rule : "", record->secret[0] ? ", secret " : "",
                           record->secret);
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
                                 record->program[0] ? record->program : "-",
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
    printf("%s  %-8s  %-15s  %s  %sx  %s  %s  %s  %s\n", cells[0], cells[1], cells[2], cells[3],
           cells[4], cells[5], cells[6], cells[7], cells[8]);
    fflush(stdout);
}

static void print_record(gint64 time, const struct network_record *record, gpointer user_data)
{
    const printer *self = user_data;
    if (self->denied && record->decision == NETWORK_ALLOWED)
        return;
    if (self->json)
        json_print_line(record_json(self, time, record));
    else
        print_cells(self, time, record);
}

gboolean net_log_show(const struct box *self, gboolean follow, gboolean denied, gboolean json,
                      GError **error)
{
    static const char *const headings[] = {"TIME", "DECISION", "PROGRAM", "TARGET", "COUNT",
                                           "SENT", "RECEIVED", "TOOK",    "WHY",    NULL};
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

/* Rules that a comment names. */
#define COVERS_SHOWN 8

static void add_unmatched(gint64 time, const struct network_record *record, gpointer user_data)
{
    network_unmatched_add(user_data, record);
}

static void rule_group_free(gpointer data)
{
    network_rule_group *self = data;
    g_free(self->name);
    g_strfreev(self->rules);
    g_free(self);
}

/* Those that can be read, with what "@apt" and "@npm" are for BOX. */
static GPtrArray *read_groups(const struct box *self)
{
    GPtrArray *out = g_ptr_array_new_with_free_func(rule_group_free);
    g_auto(GStrv) names = network_group_names();
    for (char **name = names; *name; name++) {
        network_rule_group *one = g_new0(network_rule_group, 1);
        one->name = g_strdup(*name);
        one->rules = network_group_is_computed(*name) ? package_hosts_read(self, *name, NULL)
                                                      : network_group_read(*name, FALSE, NULL);
        g_ptr_array_add(out, one);
    }
    return out;
}

/* What stands behind an entry: an entry has printable ASCII alone (network_unmatched.h). */
static char *comment_of(const network_suggestion *self)
{
    GString *out = g_string_new(NULL);
    guint count = self->covers ? g_strv_length(self->covers) : 0;
    g_string_append_printf(out, "%" G_GUINT64_FORMAT "x", self->count);
    if (self->group)
        g_string_append_printf(out, ", in %s", self->group);
    for (guint i = 0; i < MIN(count, COVERS_SHOWN); i++)
        g_string_append_printf(out, "%s%s", i ? ", " : ": ", self->covers[i]);
    if (count > COVERS_SHOWN)
        g_string_append_printf(out, " and %u more", count - COVERS_SHOWN);
    if (self->more)
        g_string_append_printf(out, "; and %u rule%s for more", self->more,
                               self->more == 1 ? "" : "s");
    return g_string_free(out, FALSE);
}

static void print_suggestions(const struct box *self, const GPtrArray *list)
{
    printf("# what box '%s' wanted and no rule allows, for [network] of your configuration\n"
           "allow = [\n",
           self->name);
    for (guint i = 0; i < list->len; i++) {
        const network_suggestion *one = list->pdata[i];
        g_autofree char *comment = comment_of(one);
        printf("    \"%s\", # %s\n", one->entry, comment);
    }
    printf("]\n");
}

static json_t *covers_to_json(const network_suggestion *self)
{
    json_t *out = self->covers ? json_array() : json_null();
    for (char **rule = self->covers; rule && *rule; rule++)
        json_array_append_new(out, json_text(*rule));
    return out;
}

static json_t *suggestions_to_json(const GPtrArray *list)
{
    json_t *out = json_array();
    for (guint i = 0; i < list->len; i++) {
        const network_suggestion *one = list->pdata[i];
        json_t *more = one->covers ? json_integer(one->more) : json_null();
        json_array_append_new(out,
                              json_pack("{s:s, s:I, s:o, s:o, s:o}", "rule", one->entry, "count",
                                        (json_int_t)one->count, "group", json_text(one->group),
                                        "covers", covers_to_json(one), "more", more));
    }
    return out;
}

gboolean net_log_suggest(const struct box *self, const struct network_rules *now, gboolean json,
                         GError **error)
{
    g_autoptr(network_unmatched) unmatched = network_unmatched_new();
    if (!network_log_each(self->runtime, FALSE, add_unmatched, unmatched, error))
        return FALSE;
    g_autoptr(GPtrArray) groups = read_groups(self);
    g_autoptr(GPtrArray) list = network_unmatched_suggest(unmatched, now, groups);
    guint64 lost = network_unmatched_lost(unmatched);
    if (lost)
        log_note("the log has %" G_GUINT64_FORMAT
                 " more without their names, as there were too many",
                 lost);
    if (json)
        json_print(suggestions_to_json(list));
    else if (list->len)
        print_suggestions(self, list);
    else
        log_note("nothing was refused that a rule would allow");
    return TRUE;
}
