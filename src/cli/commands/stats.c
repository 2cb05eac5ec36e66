#include <string.h>

#include "box/inspect/usage.h"
#include "box/lifecycle/overview.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "common/fs.h"
#include "common/units.h"
#include "console/log.h"
#include "console/output.h"
#include "podman/podman.h"

/* Long enough for a figure that means something, short enough to wait for. */
#define SAMPLE_US 300000

/* One line of the output. */
typedef struct {
    const overview_row *row; /* borrowed */
    pid_t init;              /* 0: it does not run */
    char *container;
    box_usage first, now;
    gint64 at; /* when the first was taken */
    gboolean measured;
    double cpu;              /* percent of one processor */
    gint64 home, image_size; /* bytes; -1: unknown, or the host image */
} line;

static void line_free(gpointer data)
{
    line *self = data;

    g_free(self->container);
    g_free(self);
}

static gint64 find_image_size(podman_client *server, const char *image)
{
    g_autoptr(json_t) inspect = NULL;

    if (!image || strcmp(image, "host") == 0)
        return -1;
    inspect = podman_image_inspect(server, image, NULL);
    json_t *size = json_object_get(inspect, "Size");
    return json_is_integer(size) ? (gint64)json_integer_value(size) : -1;
}

static line *line_new(podman_client *server, const overview_row *row)
{
    line *self = g_new0(line, 1);
    g_autoptr(box) known = box_name_is_valid(row->name) ? box_new(row->name, "/", NULL) : NULL;
    g_autoptr(json_t) inspect =
        row->container ? podman_container_inspect(server, row->container, NULL) : NULL;
    json_t *state = json_object_get(inspect, "State");
    const char *id = json_string_value(json_object_get(inspect, "Id"));

    self->row = row;
    self->container = g_strdup(id ? id : "");
    if (row->state == BOX_RUNNING)
        self->init = (pid_t)json_integer_value(json_object_get(state, "Pid"));
    self->home = known ? fs_disk_usage(known->home) : -1;
    self->image_size = find_image_size(server, row->image);
    return self;
}

/* Two samples of each, for what the processor does now. */
static void measure(GPtrArray *lines)
{
    gboolean any = FALSE;

    for (guint i = 0; i < lines->len; i++) {
        line *self = lines->pdata[i];
        self->at = g_get_monotonic_time();
        self->measured = self->init && box_usage_measure(self->init, self->container, &self->first);
        any |= self->measured;
    }
    if (any)
        g_usleep(SAMPLE_US);
    for (guint i = 0; i < lines->len; i++) {
        line *self = lines->pdata[i];
        double elapsed = (double)(g_get_monotonic_time() - self->at);
        self->measured =
            self->measured && box_usage_measure(self->init, self->container, &self->now);
        if (self->measured && self->now.cpu_us > self->first.cpu_us && elapsed > 0)
            self->cpu = 100.0 * (double)(self->now.cpu_us - self->first.cpu_us) / elapsed;
    }
}

static json_t *to_json(const line *self)
{
    const char *source = self->now.by_cgroup ? "cgroup" : "processes";
    const overview_row *row = self->row;
    json_t *out = overview_row_to_json(row);
    gboolean known = self->measured;
    json_t *figures = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "source",
                                known ? json_string(source) : json_null(), "cpu",
                                known ? json_real(self->cpu) : json_null(), "memory",
                                json_count(known ? self->now.memory : -1), "memory_limit",
                                json_count(known ? self->now.memory_limit : -1), "pids",
                                json_count(known ? self->now.pids : -1), "pids_limit",
                                json_count(known ? self->now.pids_limit : -1), "home",
                                json_count(self->home), "image_size", json_count(self->image_size));

    json_object_update(out, figures);
    json_decref(figures);
    return out;
}

static void add_size(table *out, gint64 size, gboolean known)
{
    g_autofree char *text = known && size >= 0 ? units_format_size(size) : g_strdup("-");

    table_add(out, text);
}

static void add_of(table *out, const char *value, const char *limit)
{
    g_autofree char *text = limit ? g_strdup_printf("%s of %s", value, limit) : g_strdup(value);

    table_add(out, text);
}

static void add_line(table *out, const line *self)
{
    gboolean limited = self->measured && self->now.memory_limit >= 0;
    gboolean pids_limited = self->measured && self->now.pids_limit >= 0;
    g_autofree char *cpu = self->measured ? g_strdup_printf("%.1f %%", self->cpu) : g_strdup("-");
    g_autofree char *memory = self->measured ? units_format_size(self->now.memory) : g_strdup("-");
    g_autofree char *most = limited ? units_format_size(self->now.memory_limit) : NULL;
    g_autofree char *pids =
        self->measured ? g_strdup_printf("%" G_GINT64_FORMAT, self->now.pids) : g_strdup("-");
    g_autofree char *most_pids =
        pids_limited ? g_strdup_printf("%" G_GINT64_FORMAT, self->now.pids_limit) : NULL;

    table_add(out, self->row->name);
    table_add(out, cpu);
    add_of(out, memory, most);
    add_of(out, pids, most_pids);
    add_size(out, self->home, TRUE);
    add_size(out, self->image_size, TRUE);
}

static void print(GPtrArray *lines)
{
    static const char *const headings[] = {"NAME", "CPU", "MEMORY", "PIDS", "HOME", "IMAGE", NULL};
    g_autoptr(table) out = table_new(headings);
    gboolean guessed = FALSE;

    for (guint i = 0; i < lines->len; i++) {
        const line *self = lines->pdata[i];
        add_line(out, self);
        guessed |= self->measured && !self->now.by_cgroup;
    }
    table_print(out);
    if (guessed)
        log_note("summed up over the processes, which counts shared memory more than once: the "
                 "boxes have no cgroup of their own here ('box doctor' says why)");
}

static void print_json(GPtrArray *lines)
{
    json_t *list = json_array();

    for (guint i = 0; i < lines->len; i++)
        json_array_append_new(list, to_json(lines->pdata[i]));
    json_print(list);
}

static int run(const struct command_call *call, GError **error)
{
    const char *argument = call->operands[0];
    g_autoptr(box) only = argument ? project_box(argument, PROJECT_EXISTING, error) : NULL;
    podman_client *server = call->server;
    g_autoptr(GPtrArray) rows = only || !argument ? box_overview(server, error) : NULL;
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(line_free);

    if (!rows)
        return -1;
    log_step("measuring the homes");
    for (guint i = 0; i < rows->len; i++) {
        overview_row *row = rows->pdata[i];
        if (only ? strcmp(row->name, only->name) != 0 : row->state != BOX_RUNNING)
            continue;
        overview_row_query_sessions(row);
        g_ptr_array_add(lines, line_new(server, row));
    }
    log_step_done();
    measure(lines);
    if (call->json)
        print_json(lines);
    else
        print(lines);
    return 0;
}

const struct command command_stats = {
    .name = "stats",
    .group = GROUP_INSPECT,
    .operands = "[PROJECT]",
    .summary = "show what boxes use: memory, CPU, disk",
    .details = "Of PROJECT's box, or of all that run. CPU is of one processor, measured just now.",
    .completes = COMPLETE_PROJECT,
    .most = 1,
    .run = run,
    .flags = COMMAND_NEEDS_PODMAN | COMMAND_JSON,
};
