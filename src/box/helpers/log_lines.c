#include "box/helpers/log_lines.h"

#include <fcntl.h>
#include <jansson.h>
#include <string.h>

#include "common/fs.h"
#include "common/paths.h"
#include "host/supervisor/helper_log.h"

/* A file grows to HELPER_LOG_MAX or HELPER_RECORDS_MAX before it is renamed. */
#define FILE_MAX (2 * HELPER_RECORDS_MAX)
/* Podman's times have nanoseconds and a zone: 35 bytes. */
#define TIME_MAX_BYTES 40
/* The last day but one of the year 9999: RFC 3339 can write no later year, in no zone. */
#define SECONDS_MAX G_GINT64_CONSTANT(253402214400)

static void line_free(gpointer data)
{
    struct log_line *self = data;
    g_free(self->text);
    g_free(self);
}

GPtrArray *log_lines_new(void)
{
    return g_ptr_array_new_with_free_func(line_free);
}

gboolean log_line_time(const char *text, gint64 *time, const char **rest)
{
    const char *space = memchr(text, ' ', strnlen(text, TIME_MAX_BYTES));
    g_autofree char *word = space ? g_strndup(text, (gsize)(space - text)) : NULL;
    g_autoptr(GDateTime) at = word ? g_date_time_new_from_iso8601(word, NULL) : NULL;
    gint64 seconds = at ? g_date_time_to_unix(at) : -1;
    if (seconds < 0 || seconds > SECONDS_MAX)
        return FALSE;
    *time = seconds * G_USEC_PER_SEC + g_date_time_get_microsecond(at);
    *rest = space + 1;
    return TRUE;
}

/* TIME as in RFC 3339, with milliseconds and the local zone; a new string. */
static char *format_time(gint64 time)
{
    g_autoptr(GDateTime) at = g_date_time_new_from_unix_local(time / G_USEC_PER_SEC);
    g_autofree char *seconds = g_date_time_format(at, "%Y-%m-%dT%H:%M:%S");
    g_autofree char *zone = g_date_time_format(at, "%:z");
    return g_strdup_printf("%s.%03d%s", seconds, (int)(time % G_USEC_PER_SEC / 1000), zone);
}

static gint64 last_time(const GPtrArray *lines)
{
    return lines->len ? ((const struct log_line *)lines->pdata[lines->len - 1])->time : 0;
}

static void add(GPtrArray *lines, gint64 time, char *text)
{
    struct log_line *new = g_new(struct log_line, 1);
    *new = (struct log_line){.time = time, .text = text};
    g_ptr_array_add(lines, new);
}

void log_lines_add_box(GPtrArray *lines, const char *bytes, gsize length, gboolean continues)
{
    g_autofree char *line = g_strndup(bytes, length);
    const char *text = line;
    gint64 time = last_time(lines);
    if (!continues)
        log_line_time(line, &time, &text);
    g_autofree char *shown = format_time(time);
    add(lines, time, g_strdup_printf("%s box: %s", shown, text));
}

/* A line without a time (a helper that failed before its supervisor had the log) stays behind the
 * line before it. */
static void add_helper_line(GPtrArray *lines, const char *line)
{
    const char *text;
    gint64 time;
    if (!log_line_time(line, &time, &text)) {
        add(lines, last_time(lines), g_strdup(line));
        return;
    }
    g_autofree char *shown = format_time(time);
    add(lines, time, g_strdup_printf("%s %s", shown, text));
}

static void add_file(GPtrArray *lines, const char *folder, const char *name)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autofree char *text = NULL;
    if (!fs_read(AT_FDCWD, path, FILE_MAX, &text, NULL, NULL))
        return;
    g_auto(GStrv) parts = g_strsplit(text, "\n", -1);
    for (char **line = parts; *line; line++)
        if (**line)
            add_helper_line(lines, *line);
}

/* Adds the log NAME, such as "gate.log", in FOLDER, the older file first. */
static void log_lines_add_helper(GPtrArray *lines, const char *folder, const char *name)
{
    g_autofree char *older = g_strconcat(name, ".1", NULL);
    add_file(lines, folder, older);
    add_file(lines, folder, name);
}

void log_lines_add_helpers(GPtrArray *lines, const char *folder)
{
    g_autoptr(GDir) names = g_dir_open(folder, 0, NULL);
    for (const char *name; names && (name = g_dir_read_name(names));) {
        if (g_str_has_suffix(name, ".log"))
            log_lines_add_helper(lines, folder, name);
    }
}

static gint compare(gconstpointer a, gconstpointer b)
{
    const struct log_line *left = *(struct log_line *const *)a;
    const struct log_line *right = *(struct log_line *const *)b;
    return (left->time > right->time) - (left->time < right->time);
}

void log_lines_sort(GPtrArray *lines, int count)
{
    g_ptr_array_sort(lines, compare); /* stable */
    if (count >= 0 && lines->len > (guint)count)
        g_ptr_array_remove_range(lines, 0, lines->len - (guint)count);
}

/* The agent's own limit is 1 MiB a file. */
#define AGENT_LOG_MAX (4 << 20)

static void add_lines(GPtrArray *lines, const char *name)
{
    g_autofree char *path = paths_state(name);
    g_autofree char *data = NULL;
    if (!fs_read(AT_FDCWD, path, AGENT_LOG_MAX, &data, NULL, NULL))
        return;
    g_auto(GStrv) all = g_strsplit(data, "\n", -1);
    for (char **each = all; *each; each++)
        if (**each)
            g_ptr_array_add(lines, g_strdup(*each));
}

GPtrArray *agent_log_lines(void)
{
    GPtrArray *all = g_ptr_array_new_with_free_func(g_free);
    add_lines(all, "agent.log.1");
    add_lines(all, "agent.log");
    return all;
}

static gboolean is_text(const json_t *entry, const char *key, const char *value)
{
    return g_strcmp0(json_string_value(json_object_get(entry, key)), value) == 0;
}

/* Entries have whole seconds. -1: one that cannot be read, as of an agent that was killed. */
static int is_since(const json_t *entry, gint64 time)
{
    const char *at = json_string_value(json_object_get(entry, "time"));
    g_autoptr(GDateTime) when = at ? g_date_time_new_from_iso8601(at, NULL) : NULL;
    return when ? g_date_time_to_unix(when) >= time / G_USEC_PER_SEC : -1;
}

void agent_log_count(const char *box, gint64 time, guint *done, guint *refused)
{
    g_autoptr(GPtrArray) lines = agent_log_lines();
    *done = *refused = 0;
    for (guint i = lines->len; i-- > 0;) {
        json_t *entry = json_loads(lines->pdata[i], 0, NULL);
        int is_new = is_since(entry, time);
        if (is_new > 0 && is_text(entry, "box", box)) {
            *done += is_text(entry, "decision", "signed");
            *refused += is_text(entry, "decision", "refused");
        }
        json_decref(entry);
        if (is_new == 0)
            break;
    }
}
