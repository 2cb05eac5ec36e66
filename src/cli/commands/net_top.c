#include "cli/commands/net.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "box/helpers/gate.h"
#include "box/helpers/network_log.h"
#include "common/units.h"
#include "console/output.h"
#include "proto/network_record.h"

/* From one look at the gate to the next. */
#define INTERVAL_US G_USEC_PER_SEC
/* Cursor to the upper left corner, and no text below (ECMA-48, CUP and ED). */
#define CLEAR_SCREEN "\033[H\033[J"

typedef struct {
    guint64 number; /* of the gate */
    struct network_record record;
    double sent_rate, received_rate; /* bytes a second */
} connection;

/* A line of GATE_LIST_CONNECTIONS. */
static gboolean parse_line(const char *line, connection *out)
{
    const char *space = strchr(line, ' ');
    g_autofree char *number = g_strndup(line, space ? (gsize)(space - line) : 0);
    return space && g_ascii_string_to_unsigned(number, 10, 1, G_MAXUINT64, &out->number, NULL) &&
           network_record_parse(space + 1, &out->record) == 0;
}

static GArray *look(const struct box *self, pid_t init, GError **error)
{
    g_autofree char *text = gate_connections(self, init, error);
    if (!text)
        return NULL;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    GArray *list = g_array_new(FALSE, TRUE, sizeof(connection));
    for (char **line = lines; *line; line++) {
        connection one = {0};
        if (parse_line(*line, &one))
            g_array_append_val(list, one);
    }
    return list;
}

static const connection *find_connection(const GArray *list, guint64 number)
{
    for (guint i = 0; i < list->len; i++)
        if (g_array_index(list, connection, i).number == number)
            return &g_array_index(list, connection, i);
    return NULL;
}

static double rate(guint64 before, guint64 now, gint64 us)
{
    return now > before && us > 0 ? (double)(now - before) * G_USEC_PER_SEC / (double)us : 0;
}

/* All bytes of one that is new were moved in this time. */
static void set_rates(GArray *now, const GArray *before, gint64 us)
{
    for (guint i = 0; i < now->len; i++) {
        connection *one = &g_array_index(now, connection, i);
        const connection *old = find_connection(before, one->number);
        one->sent_rate = rate(old ? old->record.sent : 0, one->record.sent, us);
        one->received_rate = rate(old ? old->record.received : 0, one->record.received, us);
    }
}

static void print_connections_json(const GArray *list)
{
    json_t *out = json_array();
    for (guint i = 0; i < list->len; i++) {
        const connection *one = &g_array_index(list, connection, i);
        const struct network_record *record = &one->record;
        g_autofree char *rule = network_record_rule(record);
        json_array_append_new(
            out,
            json_pack("{s:o, s:o, s:i, s:s, s:o, s:o, s:o, s:f, s:o, s:o}", "program",
                      json_text(record->program), "name", json_text(record->name), "port",
                      record->port, "decision", network_decision_name(record->decision), "rule",
                      json_text(rule), "sent", json_count((gint64)record->sent), "received",
                      json_count((gint64)record->received), "duration", (double)record->ms / 1000,
                      "sent_rate", json_count((gint64)one->sent_rate), "received_rate",
                      json_count((gint64)one->received_rate)));
    }
    json_print(out);
}

static void add_rate(table *out, double bytes)
{
    g_autofree char *size = units_format_size((gint64)bytes);
    g_autofree char *text = g_strdup_printf("%s/s", size);
    table_add(out, text);
}

static void print_connections(const GArray *list)
{
    static const char *const headings[] = {"PROGRAM", "TARGET", "SENT", "RECEIVED", "UP",
                                           "DOWN",    "OPEN",   "RULE", NULL};
    g_autoptr(table) out = table_new(headings);
    for (guint i = 0; i < list->len; i++) {
        const connection *one = &g_array_index(list, connection, i);
        const struct network_record *record = &one->record;
        g_autofree char *target = g_strdup_printf("%s:%u", record->name, record->port);
        g_autofree char *sent = units_format_size((gint64)record->sent);
        g_autofree char *received = units_format_size((gint64)record->received);
        g_autofree char *took = units_format_duration((gint64)(record->ms / 1000));
        g_autofree char *rule = network_record_rule(record);
        table_add(out, record->program[0] ? record->program : "-");
        table_add(out, target);
        table_add(out, sent);
        table_add(out, received);
        add_rate(out, one->sent_rate);
        add_rate(out, one->received_rate);
        table_add(out, took);
        table_add(out, rule ? rule : record->reason);
    }
    table_print(out);
}

gboolean net_top(const struct box *self, pid_t init, gboolean json, GError **error)
{
    gboolean repeats = !json && isatty(STDOUT_FILENO);
    gint64 at = g_get_monotonic_time();
    g_autoptr(GArray) before = look(self, init, error);
    while (before) {
        g_usleep(INTERVAL_US);
        gint64 later = g_get_monotonic_time();
        GArray *now = look(self, init, error);
        if (!now)
            return FALSE;
        set_rates(now, before, later - at);
        g_array_unref(before);
        before = now;
        at = later;
        if (repeats)
            fputs(CLEAR_SCREEN, stdout);
        if (json)
            print_connections_json(now);
        else
            print_connections(now);
        fflush(stdout);
        if (!repeats)
            return TRUE;
    }
    return FALSE;
}
