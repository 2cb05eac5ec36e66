#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "box/helpers/agent.h"
#include "box/lifecycle/lifecycle.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "host/supervisor/helper_log.h"
#include "podman/podman.h"

/* A longer line is shown in pieces. */
#define LINE_MAX_BYTES 4096
/* A file grows to HELPER_LOG_MAX and is then renamed. */
#define HELPER_FILE_MAX (2 * HELPER_LOG_MAX)

static struct {
    gboolean follow, raw, helpers;
    const char *tail;
} given;

static const option options[] = {
    {"follow", 'f', OPTION_FLAG, &given.follow, NULL, "go on until the box stops"},
    {"helpers", 0, OPTION_FLAG, &given.helpers, NULL,
     "also the logs of the box's helpers, all in the order of time"},
    {"tail", 'n', OPTION_TEXT, &given.tail, "LINES", "only the last lines"},
    {"raw", 0, OPTION_FLAG, &given.raw, NULL, "bytes as they are, escape sequences included"},
    {0},
};

/* Splits the container's stdout and stderr into lines. */
typedef struct {
    GString *parts[2]; /* the line that is not complete yet, of each */
    void (*print)(FILE *out, const char *line, gsize length, gpointer data);
    gpointer data;
} line_splitter;

static void print_line(FILE *out, const char *line, gsize length, gpointer data)
{
    g_autofree char *safe = text_safe_max(line, (gssize)length, LINE_MAX_BYTES * 8);
    fprintf(out, "%s\n", safe);
}

static void split(int stream, const char *bytes, gsize length, gpointer user_data)
{
    FILE *out = stream == 2 ? stderr : stdout;
    if (given.raw) {
        fwrite(bytes, 1, length, out);
        return;
    }
    line_splitter *self = user_data;
    GString *part = self->parts[stream == 2];
    for (gsize i = 0; i < length; i++) {
        gboolean ends = bytes[i] == '\n';
        if (!ends)
            g_string_append_c(part, bytes[i]);
        if (ends || part->len == LINE_MAX_BYTES) {
            self->print(out, part->str, part->len, self->data);
            g_string_truncate(part, 0);
        }
    }
    fflush(out);
}

/* Reads the container's log line by line. What is left at its end is a line, too. */
static gboolean read_container(podman_client *server, const struct box *self, unsigned flags,
                               int tail, line_splitter *lines, GError **error)
{
    for (int i = 0; i < 2; i++)
        lines->parts[i] = g_string_new(NULL);
    gboolean done =
        podman_container_logs(server, self->container, flags, tail, split, lines, error);
    for (int i = 0; i < 2; i++) {
        if (lines->parts[i]->len)
            lines->print(i ? stderr : stdout, lines->parts[i]->str, lines->parts[i]->len,
                         lines->data);
        g_string_free(lines->parts[i], TRUE);
    }
    return done;
}

/* A line of --helpers: "TIME PROGRAM: TEXT". */
typedef struct {
    gint64 time; /* microseconds since 1970 */
    char *text;
} entry;

static void entry_clear(gpointer data)
{
    g_free(((entry *)data)->text);
}

static int compare_entries(gconstpointer a, gconstpointer b)
{
    const entry *left = a, *right = b;
    return (left->time > right->time) - (left->time < right->time);
}

/*
 * Adds LINE, which begins with its time. PROGRAM goes in front of the text; NULL: the text names
 * one. A line without a time (a helper that failed before its supervisor had the log) stays behind
 * the line before it.
 */
static void add_entry(GArray *entries, const char *line, const char *program)
{
    const char *space = strchr(line, ' ');
    g_autofree char *word = space ? g_strndup(line, (gsize)(space - line)) : NULL;
    g_autoptr(GDateTime) at = word ? g_date_time_new_from_iso8601(word, NULL) : NULL;
    entry new = {.time = entries->len ? g_array_index(entries, entry, entries->len - 1).time : 0};
    if (at) {
        g_autoptr(GDateTime) utc = g_date_time_to_utc(at);
        g_autofree char *seconds = g_date_time_format(utc, "%Y-%m-%dT%H:%M:%S");
        new.time = g_date_time_to_unix(at) * G_USEC_PER_SEC + g_date_time_get_microsecond(at);
        new.text =
            g_strdup_printf("%s.%03dZ %s%s%s", seconds, g_date_time_get_microsecond(at) / 1000,
                            program ? program : "", program ? ": " : "", space + 1);
    } else {
        new.text = g_strdup(line);
    }
    g_array_append_val(entries, new);
}

/* The box chooses the text, so the line is marked as the box's. */
static void add_container_line(FILE *out, const char *line, gsize length, gpointer data)
{
    g_autofree char *text = g_strndup(line, length);
    add_entry(data, text, "box");
}

static void add_file(GArray *entries, const char *folder, const char *name)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autofree char *text = NULL;
    if (!fs_read(AT_FDCWD, path, HELPER_FILE_MAX, &text, NULL, NULL))
        return;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++)
        if (**line)
            add_entry(entries, *line, NULL);
}

/* All logs of helpers in FOLDER: NAME.log.1, then NAME.log (helper_log.h). */
static void add_helpers(GArray *entries, const char *folder)
{
    g_autoptr(GDir) names = g_dir_open(folder, 0, NULL);
    for (const char *name; names && (name = g_dir_read_name(names));) {
        if (!g_str_has_suffix(name, ".log"))
            continue;
        g_autofree char *older = g_strconcat(name, ".1", NULL);
        add_file(entries, folder, older);
        add_file(entries, folder, name);
    }
}

static gboolean print_all(podman_client *server, const struct box *self, gboolean has_container,
                          int tail, GError **error)
{
    g_autoptr(GArray) entries = g_array_new(FALSE, FALSE, sizeof(entry));
    g_autofree char *agent = paths_runtime(AGENT_FOLDER, NULL);
    g_array_set_clear_func(entries, entry_clear);
    line_splitter lines = {.print = add_container_line, .data = entries};
    if (has_container && !read_container(server, self, PODMAN_LOG_TIMESTAMPS, tail, &lines, error))
        return FALSE;
    add_helpers(entries, self->runtime);
    if (agent)
        add_helpers(entries, agent);
    g_array_sort(entries, compare_entries);
    guint first = tail >= 0 && entries->len > (guint)tail ? entries->len - (guint)tail : 0;
    for (guint i = first; i < entries->len; i++) {
        const entry *each = &g_array_index(entries, entry, i);
        print_line(stdout, each->text, strlen(each->text), NULL);
    }
    return TRUE;
}

static gboolean check_options(int *tail, GError **error)
{
    guint64 number;
    *tail = -1;
    if (given.helpers && (given.follow || given.raw)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "--helpers goes with neither --follow nor --raw");
        return FALSE;
    }
    if (!given.tail)
        return TRUE;
    if (!g_ascii_string_to_unsigned(given.tail, 10, 0, G_MAXINT, &number, NULL)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "--tail takes a number of lines");
        return FALSE;
    }
    *tail = (int)number;
    return TRUE;
}

static int run(const struct command_call *call, GError **error)
{
    int tail;
    g_autoptr(box) self = check_options(&tail, error)
                              ? project_box(call->operands[0], PROJECT_EXISTING, error)
                              : NULL;
    g_autoptr(box_container) now = self ? box_container_inspect(self, call->server, error) : NULL;
    if (!now)
        return -1;
    gboolean has_container = now->state != BOX_MISSING;
    if (given.helpers)
        return print_all(call->server, self, has_container, tail, error) ? 0 : -1;
    line_splitter lines = {.print = print_line};
    unsigned flags = given.follow ? PODMAN_LOG_FOLLOW : 0;
    return !has_container || read_container(call->server, self, flags, tail, &lines, error) ? 0
                                                                                            : -1;
}

const struct command command_logs = {
    .name = "logs",
    .group = GROUP_INSPECT,
    .operands = "[PROJECT]",
    .summary = "show what detached commands, box-init and the helpers printed",
    .options = options,
    .completes = COMPLETE_PROJECT,
    .most = 1,
    .run = run,
    .flags = COMMAND_NEEDS_PODMAN,
};
