#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "box/lifecycle/lifecycle.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "common/text.h"
#include "podman/containers.h"

/* A longer line is shown in pieces. */
#define LINE_MAX_BYTES 4096

static struct {
    gboolean follow, raw;
    const char *tail;
} set;

static const option options[] = {
    {"follow", 'f', OPTION_FLAG, &set.follow, NULL, "go on until the box stops"},
    {"tail", 'n', OPTION_TEXT, &set.tail, "LINES", "only the last lines"},
    {"raw", 0, OPTION_FLAG, &set.raw, NULL, "bytes as they are, escape sequences included"},
    {0},
};

/* What came of a line that is not whole yet, for stdout and stderr. */
typedef struct {
    GString *parts[2];
} lines;

static void print_line(FILE *out, const char *line, gsize length)
{
    g_autofree char *safe = text_safe_max(line, (gssize)length, LINE_MAX_BYTES * 8);
    fprintf(out, "%s\n", safe);
}

static void take(int stream, const char *data, gsize length, gpointer user_data)
{
    FILE *out = stream == 2 ? stderr : stdout;
    if (set.raw) {
        fwrite(data, 1, length, out);
        return;
    }
    lines *self = user_data;
    GString *part = self->parts[stream == 2];
    for (gsize i = 0; i < length; i++) {
        gboolean ends = data[i] == '\n';
        if (!ends)
            g_string_append_c(part, data[i]);
        if (ends || part->len == LINE_MAX_BYTES) {
            print_line(out, part->str, part->len);
            g_string_truncate(part, 0);
        }
    }
    fflush(out);
}

static gboolean parse_tail(int *tail, GError **error)
{
    guint64 number;
    *tail = -1;
    if (!set.tail)
        return TRUE;
    if (!g_ascii_string_to_unsigned(set.tail, 10, 0, G_MAXINT, &number, NULL)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "--tail takes a number of lines");
        return FALSE;
    }
    *tail = (int)number;
    return TRUE;
}

static int run(const struct command_call *call, GError **error)
{
    int tail;
    g_autoptr(box) self =
        parse_tail(&tail, error) ? project_box(call->operands[0], PROJECT_EXISTING, error) : NULL;
    g_autoptr(box_container) now = self ? box_container_inspect(self, call->server, error) : NULL;
    if (!now)
        return -1;
    if (now->state == BOX_MISSING)
        return 0;
    lines parts = {{g_string_new(NULL), g_string_new(NULL)}};
    gboolean done =
        podman_container_logs(call->server, self->container, set.follow, tail, take, &parts, error);
    for (int i = 0; i < 2; i++) {
        if (parts.parts[i]->len)
            print_line(i ? stderr : stdout, parts.parts[i]->str, parts.parts[i]->len);
        g_string_free(parts.parts[i], TRUE);
    }
    return done ? 0 : -1;
}

const struct command command_logs = {
    .name = "logs",
    .group = GROUP_LOOK,
    .operands = "[PROJECT]",
    .summary = "show what detached commands and box-init printed",
    .options = options,
    .completes = COMPLETE_PROJECT,
    .most = 1,
    .run = run,
    .flags = COMMAND_NEEDS_PODMAN,
};
