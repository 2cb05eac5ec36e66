#include "box/helpers/log_lines.h"

#include <fcntl.h>
#include <string.h>

#include "common/fs.h"
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

void log_lines_add_helper(GPtrArray *lines, const char *folder, const char *name)
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
