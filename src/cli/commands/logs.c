#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "box/helpers/agent.h"
#include "box/helpers/log_lines.h"
#include "box/lifecycle/lifecycle.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "common/text.h"
#include "podman/podman.h"

/* A longer line is shown in pieces. */
#define LINE_MAX_BYTES 4096

static struct {
    gboolean follow, raw, helpers;
    const char *tail;
} logs_given;

static const option logs_options[] = {
    {"follow", 'f', OPTION_FLAG, &logs_given.follow, NULL, "keep printing until the box stops"},
    {"helpers", 0, OPTION_FLAG, &logs_given.helpers, NULL,
     "include the logs of its helpers, sorted by time"},
    {"tail", 'n', OPTION_TEXT, &logs_given.tail, "LINES", "only the last lines"},
    {"raw", 0, OPTION_FLAG, &logs_given.raw, NULL, "unfiltered output, to a file or a pipe only"},
    {0},
};

/* Splits the container's stdout and stderr into lines, which are printed or collected. */
typedef struct {
    GString *parts[2];     /* the line that is not complete yet, of each */
    gboolean continues[2]; /* the line has had a piece before this one */
    GPtrArray *collected;  /* of struct log_line; NULL: printed */
} line_splitter;

static void print_log_line(FILE *out, const char *line, gsize length)
{
    g_autofree char *safe = text_safe_max(line, (gssize)length, LINE_MAX_BYTES * 8);
    fprintf(out, "%s\n", safe);
}

/* The part of one of the streams is a line, or a piece of one that goes on. */
static void pass_on(line_splitter *self, gboolean is_stderr, gboolean goes_on)
{
    GString *part = self->parts[is_stderr];
    if (self->collected)
        log_lines_add_box(self->collected, part->str, part->len, self->continues[is_stderr]);
    else
        print_log_line(is_stderr ? stderr : stdout, part->str, part->len);
    self->continues[is_stderr] = goes_on;
    g_string_truncate(part, 0);
}

static void split(int stream, const char *bytes, gsize length, gpointer user_data)
{
    gboolean is_stderr = stream == 2;
    FILE *out = is_stderr ? stderr : stdout;
    line_splitter *self = user_data;
    GString *part = self->parts[is_stderr];
    for (gsize i = 0; i < length; i++) {
        gboolean ends = bytes[i] == '\n';
        if (!ends)
            g_string_append_c(part, bytes[i]);
        if (ends || part->len == LINE_MAX_BYTES)
            pass_on(self, is_stderr, !ends);
    }
    fflush(out);
}

/* Both streams to stdout, which is no terminal: stderr may be one. */
static void write_raw(int stream, const char *bytes, gsize length, gpointer user_data)
{
    fwrite(bytes, 1, length, stdout);
    fflush(stdout);
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
            pass_on(lines, i == 1, FALSE);
        g_string_free(lines->parts[i], TRUE);
    }
    return done;
}

static gboolean print_all(podman_client *server, const struct box *self, gboolean has_container,
                          int tail, GError **error)
{
    g_autoptr(GPtrArray) all = log_lines_new();
    line_splitter lines = {.collected = all};
    g_autofree char *agent = agent_path(NULL);
    if (has_container && !read_container(server, self, PODMAN_LOG_TIMESTAMPS, tail, &lines, error))
        return FALSE;
    log_lines_add_helpers(all, self->runtime);
    if (agent)
        log_lines_add_helpers(all, agent);
    log_lines_sort(all, tail);
    for (guint i = 0; i < all->len; i++) {
        const struct log_line *each = all->pdata[i];
        print_log_line(stdout, each->text, strlen(each->text));
    }
    return TRUE;
}

static gboolean print_container(podman_client *server, const struct box *self, int tail,
                                GError **error)
{
    line_splitter lines = {.collected = NULL};
    unsigned flags = logs_given.follow ? PODMAN_LOG_FOLLOW : 0;
    return logs_given.raw
               ? podman_container_logs(server, self->container, flags, tail, write_raw, NULL, error)
               : read_container(server, self, flags, tail, &lines, error);
}

static gboolean check_tail(int *tail, GError **error)
{
    guint64 number;
    *tail = -1;
    if (logs_given.helpers && (logs_given.follow || logs_given.raw)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "--helpers cannot be combined with --follow or --raw");
        return FALSE;
    }
    if (logs_given.raw && isatty(STDOUT_FILENO)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE,
                    "--raw output could control your terminal: redirect it to a file or a pipe");
        return FALSE;
    }
    if (!logs_given.tail)
        return TRUE;
    if (!g_ascii_string_to_unsigned(logs_given.tail, 10, 0, G_MAXINT, &number, NULL)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "--tail needs a number of lines");
        return FALSE;
    }
    *tail = (int)number;
    return TRUE;
}

static int run_logs(const struct command_call *call, GError **error)
{
    int tail;
    g_autoptr(box) self = check_tail(&tail, error)
                              ? project_box_or_branch(call->operands[0], PROJECT_EXISTING, error)
                              : NULL;
    g_autoptr(box_container) now = self ? box_container_inspect(self, call->server, error) : NULL;
    if (!now)
        return -1;
    gboolean has_container = now->state != BOX_MISSING;
    if (logs_given.helpers)
        return print_all(call->server, self, has_container, tail, error) ? 0 : -1;
    return !has_container || print_container(call->server, self, tail, error) ? 0 : -1;
}

const struct command command_logs = {
    .name = "logs",
    .group = GROUP_INSPECT,
    .operands = "[PROJECT]",
    .summary = "show the output of detached commands, box-init and helpers",
    .options = logs_options,
    .completes = COMPLETE_PROJECT_OR_BRANCH,
    .most = 1,
    .run = run_logs,
    .flags = COMMAND_NEEDS_PODMAN,
};
