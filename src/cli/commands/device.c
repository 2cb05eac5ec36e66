#include <string.h>

#include "box/inspect/devices.h"
#include "box/lifecycle/lifecycle.h"
#include "cli/commands/command.h"
#include "cli/commands/project.h"
#include "common/text.h"
#include "config/config.h"
#include "console/log.h"
#include "console/output.h"
#include "plan/plan.h"

/* One line: a device of the box, or one that it could have. */
typedef struct {
    char *device;     /* in the box; of a candidate: what to name */
    char *node;       /* on the host now; NULL: away */
    const char *from; /* "configuration", "box device add", "[desktop] gpu", NULL: not in the box */
    const char *why;  /* refused; or NULL */
    const char *kind; /* of a candidate */
} row;

static void device_row_free(gpointer data)
{
    row *self = data;
    g_free(self->device);
    g_free(self->node);
    g_free(self);
}

static void add_device_row(GPtrArray *rows, const char *source, const char *target,
                           const char *from)
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
        add_device_row(rows, parts[0], parts[1] && *parts[1] == '/' ? parts[1] : parts[0],
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

static GPtrArray *collect_devices(const settings *configured)
{
    GPtrArray *rows = g_ptr_array_new_with_free_func(device_row_free);
    for (char **device = configured->devices; device && *device; device++)
        add_configured(rows, *device);
    for (guint i = 0; configured->added_devices && i < configured->added_devices->len; i++) {
        const settings_device *device = configured->added_devices->pdata[i];
        add_device_row(rows, device->source, device->target, "box device add");
    }
    g_auto(GStrv) gpus = plan_gpu_nodes(configured->desktop.gpu);
    for (char **node = gpus; *node; node++)
        if (!is_in_box(rows, *node))
            add_device_row(rows, *node, *node, "[desktop] gpu");
    add_candidates(rows);
    return rows;
}

static char *device_state(const row *self)
{
    if (!self->from)
        return g_strdup_printf("not in the box (%s)", self->kind);
    if (self->why)
        return g_strdup_printf("refused: %s", self->why);
    return g_strdup(self->node ? "in the box" : "away");
}

static void print_devices(const GPtrArray *rows)
{
    static const char *const headings[] = {"DEVICE", "ON THIS MACHINE", "STATE", NULL};
    g_autoptr(table) out = table_new(headings);
    for (guint i = 0; i < rows->len; i++) {
        const row *each = rows->pdata[i];
        g_autofree char *state = device_state(each);
        table_add(out, each->device);
        table_add(out, each->node ? each->node : "-");
        table_add(out, state);
    }
    if (table_is_empty(out))
        log_note("this box has no devices, and this machine none that it could use");
    else
        table_print(out);
}

static json_t *device_row_json(const row *self)
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

static void print_devices_json(const GPtrArray *rows)
{
    json_t *devices = json_array(), *candidates = json_array();
    for (guint i = 0; i < rows->len; i++) {
        const row *each = rows->pdata[i];
        json_array_append_new(each->from ? devices : candidates, device_row_json(each));
    }
    json_print(json_pack("{s:o, s:o}", "devices", devices, "candidates", candidates));
}

static gboolean device_show(const struct box *self, gboolean json, GError **error)
{
    g_autoptr(config) read = config_load(self->project, self->base, NULL, TRUST_SKIP, error);
    if (!read)
        return FALSE;
    g_autoptr(GPtrArray) rows = collect_devices(config_settings(read));
    if (json)
        print_devices_json(rows);
    else
        print_devices(rows);
    return TRUE;
}

static gboolean keeps_groups(const struct box *self)
{
    g_autoptr(config) read = config_load(self->project, self->base, NULL, TRUST_SKIP, NULL);
    return read && config_settings(read)->security.keep_groups;
}

/* "[PROJECT] DEVICE" */
static struct box *device_box(const struct command_call *call, const char **device, GError **error)
{
    guint count = g_strv_length(call->operands);
    *device = call->operands[count - 1];
    return project_box(count > 1 ? call->operands[0] : NULL, PROJECT_EXISTING, error);
}

static int add_device(const struct command_call *call, GError **error)
{
    const char *path;
    g_autofree char *node = NULL;
    g_autoptr(box) self = device_box(call, &path, error);
    settings_device *device = self ? box_device_add(self, path, &node, error) : NULL;
    if (!device)
        return -1;
    g_autofree char *source = text_safe(device->source, -1);
    g_autofree char *rights = host_device_rights(node, keeps_groups(self));
    if (strcmp(device->source, device->target) == 0)
        log_note("box '%s' gets '%s'", self->name, source);
    else
        log_note("box '%s' gets '%s', which is '%s' wherever that is plugged in", self->name,
                 device->target, source);
    if (rights)
        log_warning("'%s': %s", source, rights);
    if (box_find_init(self))
        log_note("it is running without it until 'box apply'");
    settings_device_free(device);
    return 0;
}

static int remove_device(const struct command_call *call, GError **error)
{
    const char *path;
    g_autoptr(box) self = device_box(call, &path, error);
    if (!self || !box_device_remove(self, path, error))
        return -1;
    if (box_find_init(self))
        log_warning("box '%s' is running, and keeps the device until 'box apply' or 'box stop'",
                    self->name);
    return 0;
}

static int list_devices(const struct command_call *call, GError **error)
{
    g_autoptr(box) self = project_box(call->operands[0], PROJECT_PEEK, error);
    if (!self || !device_show(self, call->json, error))
        return -1;
    if (!call->json && box_find_init(self))
        log_note("box '%s' is running: changes of its devices take effect with 'box apply'",
                 self->name);
    return 0;
}

static const struct command_verb device_verbs[] = {
    {"add",
     "[PROJECT] DEVICE",
     1,
     2,
     add_device,
     "give the box a device, from its next start on",
     0,
     COMPLETE_PROJECT,
     {COMPLETE_NEW_DEVICES}},
    {"list", "[PROJECT]", 0, 1, list_devices,
     "list the devices of the box and those that it could have", COMMAND_JSON, COMPLETE_PROJECT},
    {"remove",
     "[PROJECT] DEVICE",
     1,
     2,
     remove_device,
     "remove a device from the box",
     0,
     COMPLETE_PROJECT,
     {COMPLETE_DEVICES}},
    {0},
};

const struct command command_device = {
    .name = "device",
    .group = GROUP_SETUP,
    .verbs = device_verbs,
    .summary = "give a box devices of this machine, such as a serial port",
    .details =
        "DEVICE is a path such as /dev/kvm or /dev/serial/by-id/NAME. A device that has a name "
        "of its\nown there is found by it at each start, wherever it is plugged in.",
};
