#include "cli/commands/device_show.h"

#include <string.h>

#include "box/inspect/devices.h"
#include "common/text.h"
#include "config/config.h"
#include "console/json.h"
#include "console/log.h"
#include "console/table.h"
#include "plan/plan.h"

/* One line: a device of the box, or one that it could have. */
typedef struct {
    char *device;     /* in the box; of a candidate: what to name */
    char *node;       /* on the host now; NULL: away */
    const char *from; /* "configuration", "box device add", "[desktop] gpu", NULL: not in the box */
    const char *why;  /* refused; or NULL */
    const char *kind; /* of a candidate */
} row;

static void row_free(gpointer data)
{
    row *self = data;
    g_free(self->device);
    g_free(self->node);
    g_free(self);
}

static void add_row(GPtrArray *rows, const char *source, const char *target, const char *from)
{
    row *self = g_new0(row, 1);
    self->device = g_strdup(target);
    self->from = from;
    self->why = plan_check_device(source, &self->node);
    g_ptr_array_add(rows, self);
}

/* "/dev/a", "/dev/a:/dev/b:rwm" or a CDI name, whose device only Podman knows. */
static void add_configured(GPtrArray *rows, const char *device)
{
    g_auto(GStrv) parts = g_strsplit(device, ":", 3);
    if (*device == '/') {
        add_row(rows, parts[0], parts[1] && *parts[1] == '/' ? parts[1] : parts[0],
                "configuration");
        return;
    }
    row *self = g_new0(row, 1);
    self->device = g_strdup(device);
    self->node = g_strdup(device);
    self->from = "configuration";
    g_ptr_array_add(rows, self);
}

static gboolean is_in_box(const GPtrArray *rows, const char *node)
{
    for (guint i = 0; i < rows->len; i++)
        if (g_strcmp0(((row *)rows->pdata[i])->node, node) == 0)
            return TRUE;
    return FALSE;
}

static void add_candidates(GPtrArray *rows)
{
    g_autoptr(GPtrArray) found = host_device_list();
    for (guint i = 0; i < found->len; i++) {
        const host_device *device = found->pdata[i];
        if (is_in_box(rows, device->node))
            continue;
        row *self = g_new0(row, 1);
        self->device = g_strdup(device->stable ? device->stable : device->node);
        self->node = g_strdup(device->node);
        self->kind = device->kind;
        g_ptr_array_add(rows, self);
    }
}

static GPtrArray *collect(const settings *wanted)
{
    GPtrArray *rows = g_ptr_array_new_with_free_func(row_free);
    for (char **device = wanted->devices; device && *device; device++)
        add_configured(rows, *device);
    for (guint i = 0; wanted->added_devices && i < wanted->added_devices->len; i++) {
        const settings_device *device = wanted->added_devices->pdata[i];
        add_row(rows, device->source, device->target, "box device add");
    }
    g_auto(GStrv) gpus = plan_gpu_nodes(wanted->desktop.gpu);
    for (char **node = gpus; *node; node++)
        if (!is_in_box(rows, *node))
            add_row(rows, *node, *node, "[desktop] gpu");
    add_candidates(rows);
    return rows;
}

static char *state_of(const row *self)
{
    if (!self->from)
        return g_strdup_printf("not in the box (%s)", self->kind);
    if (self->why)
        return g_strdup_printf("refused: %s", self->why);
    return g_strdup(self->node ? "in the box" : "away");
}

static void print_table(const GPtrArray *rows)
{
    static const char *const headings[] = {"DEVICE", "ON THIS MACHINE", "STATE", NULL};
    g_autoptr(table) out = table_new(headings);
    for (guint i = 0; i < rows->len; i++) {
        const row *each = rows->pdata[i];
        g_autofree char *state = state_of(each);
        table_add(out, each->device);
        table_add(out, each->node ? each->node : "-");
        table_add(out, state);
    }
    if (table_is_empty(out))
        log_note("this box has no devices, and this machine none that it could use");
    else
        table_print(out);
}

static json_t *row_json(const row *self)
{
    if (!self->from)
        return json_pack("{s:o, s:o, s:s}", "device", json_text(self->device), "host",
                         json_text(self->node), "kind", self->kind);
    return json_pack("{s:o, s:o, s:s, s:s, s:o}", "device", json_text(self->device), "host",
                     json_text(self->node), "state",
                     self->why    ? "refused"
                     : self->node ? "there"
                                  : "away",
                     "from", self->from, "why", json_text(self->why));
}

static void print_json(const GPtrArray *rows)
{
    json_t *devices = json_array(), *candidates = json_array();
    for (guint i = 0; i < rows->len; i++) {
        const row *each = rows->pdata[i];
        json_array_append_new(each->from ? devices : candidates, row_json(each));
    }
    json_print(json_pack("{s:o, s:o}", "devices", devices, "candidates", candidates));
}

gboolean device_show(const struct box *self, gboolean json, GError **error)
{
    g_autoptr(config) read = config_load(self->project, self->base, NULL, TRUST_SKIP, error);
    if (!read)
        return FALSE;
    g_autoptr(GPtrArray) rows = collect(config_settings(read));
    if (json)
        print_json(rows);
    else
        print_table(rows);
    return TRUE;
}
