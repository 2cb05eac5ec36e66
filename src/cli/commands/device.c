#include <string.h>
#include <unistd.h>

#include "box/inspect/devices.h"
#include "box/lifecycle/lifecycle.h"
#include "cli/commands/command.h"
#include "cli/commands/device_show.h"
#include "cli/commands/project.h"
#include "common/text.h"
#include "console/log.h"

static gboolean runs(const struct box *self)
{
    int connection = box_connect(self);
    if (connection >= 0)
        close(connection);
    return connection >= 0;
}

static gboolean keeps_groups(const struct box *self)
{
    g_autoptr(config) read = config_load(self->project, self->base, NULL, TRUST_SKIP, NULL);
    return read && config_settings(read)->security.keep_groups;
}

/* "[PROJECT] DEVICE" */
static struct box *named_box(const struct command_call *call, const char **device, GError **error)
{
    guint count = g_strv_length(call->operands);
    *device = call->operands[count - 1];
    return project_box(count > 1 ? call->operands[0] : NULL, PROJECT_EXISTING, error);
}

static int add(const struct command_call *call, GError **error)
{
    const char *path;
    g_autofree char *node = NULL;
    g_autoptr(box) self = named_box(call, &path, error);
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
    if (runs(self))
        log_note("it runs without it until 'box apply'");
    settings_device_free(device);
    return 0;
}

static int take(const struct command_call *call, GError **error)
{
    const char *path;
    g_autoptr(box) self = named_box(call, &path, error);
    if (!self || !box_device_remove(self, path, error))
        return -1;
    if (runs(self))
        log_warning("box '%s' runs, and has the device until 'box apply' or 'box stop'",
                    self->name);
    return 0;
}

static int list(const struct command_call *call, GError **error)
{
    g_autoptr(box) self = project_box(call->operands[0], PROJECT_PEEK, error);
    if (!self || !device_show(self, call->json, error))
        return -1;
    if (!call->json && runs(self))
        log_note("box '%s' runs: what was added, removed or plugged in since its start is in it "
                 "after 'box apply'",
                 self->name);
    return 0;
}

static const struct command_verb verbs[] = {
    {"add", "[PROJECT] DEVICE", 1, 2, add, "give the box a device, from its next start on", 0,
     COMPLETE_FILES},
    {"list", "[PROJECT]", 0, 1, list, "list the devices of the box and those that it could have",
     COMMAND_JSON, COMPLETE_PROJECT},
    {"remove", "[PROJECT] DEVICE", 1, 2, take, "take a device back", 0, COMPLETE_FILES},
    {0},
};

const struct command command_device = {
    .name = "device",
    .group = GROUP_SETUP,
    .verbs = verbs,
    .summary = "give a box devices of this machine, such as a serial port",
    .details =
        "DEVICE is a path such as /dev/kvm or /dev/serial/by-id/NAME. A device that has a name "
        "of its\nown there is found by it at each start, wherever it is plugged in.",
};
