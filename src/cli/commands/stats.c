#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "box/inspect/usage.h"
#include "box/lifecycle/overview.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "common/fs.h"
#include "common/units.h"
#include "console/log.h"
#include "console/output.h"
#include "podman/podman.h"

/* From one look at the CPU time to the next: long enough for a figure that means something, short
 * enough to wait for. */
#define SAMPLE_US 30000
/* With --watch: from one table to the next, and how long a home's size is taken for known, as
 * adding it up can take seconds. */
#define WATCH_US (2 * G_USEC_PER_SEC)
#define HOMES_US (30 * G_USEC_PER_SEC)

/* Cursor to the upper left corner, and no text below (ECMA-48, CUP and ED). */
#define CLEAR_SCREEN "\033[H\033[J"

static struct {
    gboolean watch;
} stats_given;

static const option stats_options[] = {
    {"watch", 'w', OPTION_FLAG, &stats_given.watch, NULL, "show the table anew every two seconds"},
    {0},
};

/* What is kept from one table to the next. */
typedef struct {
    podman_client *server;
    const char *only;    /* NULL: every box that runs */
    GHashTable *samples; /* by the container's ID */
    GHashTable *sizes;   /* gint64, bytes, by name of an image or path of a home */
    gint64 homes_at;     /* when the homes were measured */
} meter;

typedef struct {
    box_usage usage;
    gint64 at;
} sample;

/* One line of the output. */
typedef struct {
    overview_row *row; /* borrowed */
    box_usage now;
    gboolean measured;
    double cpu;              /* percent of one processor */
    gint64 home, image_size; /* bytes; -1: unknown, or the host image */
} line;

static gint64 find_image_size(podman_client *server, const char *image)
{
    g_autoptr(json_t) inspect = podman_image_inspect(server, image, NULL);
    json_t *size = json_object_get(inspect, "Size");
    return json_is_integer(size) ? (gint64)json_integer_value(size) : -1;
}

static gint64 *known_size(meter *self, const char *key)
{
    return g_hash_table_lookup(self->sizes, key);
}

static gint64 remember_size(meter *self, const char *key, gint64 size)
{
    g_hash_table_insert(self->sizes, g_strdup(key), g_memdup2(&size, sizeof size));
    return size;
}

static gint64 image_size(meter *self, const char *image)
{
    if (!image || strcmp(image, "host") == 0)
        return -1;
    const gint64 *known = known_size(self, image);
    return known ? *known : remember_size(self, image, find_image_size(self->server, image));
}

static gint64 home_size(meter *self, const char *name)
{
    g_autoptr(box) found = box_name_is_valid(name) ? box_new(name, "/", NULL) : NULL;
    if (!found)
        return -1;
    const gint64 *known = known_size(self, found->home);
    return known && g_get_monotonic_time() < self->homes_at + HOMES_US
               ? *known
               : remember_size(self, found->home, fs_disk_usage(found->home));
}

static GPtrArray *select_lines(const meter *self, GPtrArray *rows)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < rows->len; i++) {
        overview_row *row = rows->pdata[i];
        if (self->only ? strcmp(row->name, self->only) != 0 : row->state != BOX_RUNNING)
            continue;
        line *one = g_new0(line, 1);
        one->row = row;
        g_ptr_array_add(lines, one);
    }
    return lines;
}

/* The earlier of two looks at each box that has had none. Returns when the later one may be. */
static gint64 look_first(meter *self, GPtrArray *lines)
{
    g_autoptr(GArray) processes = NULL;
    gint64 until = 0;
    for (guint i = 0; i < lines->len; i++) {
        const overview_row *row = ((line *)lines->pdata[i])->row;
        sample one = {.at = g_get_monotonic_time()};
        if (!row->id || g_hash_table_contains(self->samples, row->id) ||
            !box_usage_measure(row->init, row->id, &processes, &one.usage))
            continue;
        g_hash_table_insert(self->samples, g_strdup(row->id), g_memdup2(&one, sizeof one));
        until = one.at + SAMPLE_US;
    }
    return until;
}

static void look_again(meter *self, GPtrArray *lines)
{
    g_autoptr(GArray) processes = NULL;
    for (guint i = 0; i < lines->len; i++) {
        line *out = lines->pdata[i];
        sample *one = out->row->id ? g_hash_table_lookup(self->samples, out->row->id) : NULL;
        gint64 now = g_get_monotonic_time();
        if (!one || !box_usage_measure(out->row->init, out->row->id, &processes, &out->now))
            continue;
        out->measured = TRUE;
        if (out->now.cpu_us > one->usage.cpu_us && now > one->at)
            out->cpu =
                100.0 * (double)(out->now.cpu_us - one->usage.cpu_us) / (double)(now - one->at);
        *one = (sample){out->now, now};
    }
}

/* Two looks at each, for what the processor does now. The time between them is put to use. */
static void measure(meter *self, GPtrArray *lines)
{
    gint64 until = look_first(self, lines);
    gboolean homes = g_get_monotonic_time() >= self->homes_at + HOMES_US;
    log_step("measuring the homes");
    for (guint i = 0; i < lines->len; i++) {
        line *one = lines->pdata[i];
        one->home = home_size(self, one->row->name);
        one->image_size = image_size(self, one->row->image);
    }
    if (homes)
        self->homes_at = g_get_monotonic_time();
    log_step_done();
    gint64 left = until - g_get_monotonic_time();
    if (left > 0)
        g_usleep((gulong)left);
    look_again(self, lines);
}

static json_t *line_json(const line *self)
{
    const char *source = self->now.by_cgroup ? "cgroup" : "processes";
    overview_row *row = self->row;
    overview_row_query_sessions(row);
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

static void add_disk_size(table *out, gint64 size, gboolean known)
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
    add_disk_size(out, self->home, TRUE);
    add_disk_size(out, self->image_size, TRUE);
}

static void print_stats(GPtrArray *lines)
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

static void print_stats_json(GPtrArray *lines)
{
    json_t *list = json_array();

    for (guint i = 0; i < lines->len; i++)
        json_array_append_new(list, line_json(lines->pdata[i]));
    json_print(list);
}

/* One table. 0, or -1 with ERROR. */
static int show_stats(meter *self, gboolean as_json, GError **error)
{
    g_autoptr(GPtrArray) rows = box_overview(self->server, error);
    if (!rows)
        return -1;
    g_autoptr(GPtrArray) lines = select_lines(self, rows);
    measure(self, lines);
    if (stats_given.watch)
        fputs(CLEAR_SCREEN, stdout);
    if (as_json)
        print_stats_json(lines);
    else
        print_stats(lines);
    fflush(stdout);
    return 0;
}

static int run_stats(const struct command_call *call, GError **error)
{
    const char *argument = call->operands[0];
    g_autoptr(box) only =
        argument ? project_box_or_branch(argument, PROJECT_EXISTING, error) : NULL;
    g_autoptr(GHashTable) samples = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_autoptr(GHashTable) sizes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    meter self = {call->server, only ? only->name : NULL, samples, sizes, 0};
    int status;

    if (argument && !only)
        return -1;
    if (stats_given.watch && (call->json || !isatty(STDOUT_FILENO))) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_USAGE, "--watch needs a terminal, and no --json");
        return -1;
    }
    while ((status = show_stats(&self, call->json, error)) == 0 && stats_given.watch)
        g_usleep(WATCH_US);
    return status;
}

const struct command command_stats = {
    .name = "stats",
    .group = GROUP_INSPECT,
    .operands = "[PROJECT]",
    .summary = "show what boxes use: memory, CPU, disk",
    .details = "Of PROJECT's box, or of all that run. CPU is of one processor, measured just now.",
    .options = stats_options,
    .completes = COMPLETE_PROJECT_OR_BRANCH,
    .most = 1,
    .run = run_stats,
    .flags = COMMAND_NEEDS_PODMAN | COMMAND_JSON,
};
