#include <string.h>
#include <unistd.h>

#include "box/commands/commands.h"
#include "box/device_list.h"
#include "box/device_show.h"
#include "box/host_devices.h"
#include "box/lifecycle.h"
#include "box/project.h"
#include "box/say.h"
#include "common/text.h"

static struct {
    gboolean json;
} set;

static const option options[] = {
    {"json", 0, OPTION_FLAG, &set.json, NULL, "list: print JSON"},
    {0},
};

static gboolean runs(const box *self)
{
    int connection = lifecycle_connect(self);
    if (connection >= 0)
        close(connection);
    return connection >= 0;
}

static gboolean keeps_groups(const box *self)
{
    g_autoptr(config) read = config_load(self->project, self->base, NULL, TRUST_SKIP, NULL);
    return read && config_settings(read)->security.keep_groups;
}

static int add(const box *self, const char *path, GError **error)
{
    g_autofree char *node = NULL;
    settings_device *device = device_list_add(self, path, &node, error);
    if (!device)
        return -1;
    g_autofree char *source = text_safe(device->source, -1);
    g_autofree char *rights = host_device_rights(node, keeps_groups(self));
    if (strcmp(device->source, device->target) == 0)
        say_note("box '%s' gets '%s'", self->name, source);
    else
        say_note("box '%s' gets '%s', which is '%s' wherever that is plugged in", self->name,
                 device->target, source);
    if (rights)
        say_warning("'%s': %s", source, rights);
    if (runs(self))
        say_note("it runs without it until 'box apply'");
    settings_device_free(device);
    return 0;
}

static int take(const box *self, const char *path, GError **error)
{
    if (!device_list_remove(self, path, error))
        return -1;
    if (runs(self))
        say_warning("box '%s' runs, and has the device until 'box apply' or 'box stop'",
                    self->name);
    return 0;
}

static int list(const box *self, GError **error)
{
    if (!device_show(self, set.json, error))
        return -1;
    if (!set.json && runs(self))
        say_note("box '%s' runs: what was added, removed or plugged in since its start is in it "
                 "after 'box apply'",
                 self->name);
    return 0;
}

static int usage(GError **error)
{
    g_set_error(
        error, BOX_ERROR, BOX_ERROR_USAGE,
        "box device add [PROJECT] DEVICE, box device remove [PROJECT] DEVICE, or box device "
        "list [--json] [PROJECT]");
    return -1;
}

static int run(const arguments *given, GError **error)
{
    const char *verb = arguments_first(given);
    gboolean adds = g_strcmp0(verb, "add") == 0, takes = g_strcmp0(verb, "remove") == 0;
    char **rest = given->operands + (verb ? 1 : 0);
    guint count = g_strv_length(rest);
    if (g_strcmp0(verb, "list") == 0 && count <= 1) {
        g_autoptr(box) self = project_box(rest[0], PROJECT_PEEK, error);
        return self ? list(self, error) : -1;
    }
    if ((!adds && !takes) || count < 1 || set.json)
        return usage(error);
    g_autoptr(box) self = project_box(count > 1 ? rest[0] : NULL, PROJECT_EXISTING, error);
    if (!self)
        return -1;
    return adds ? add(self, rest[count - 1], error) : take(self, rest[count - 1], error);
}

const command command_device = {
    .name = "device",
    .group = GROUP_SETUP,
    .arguments = "add|list|remove [PROJECT] [DEVICE]",
    .verbs = "add list remove",
    .summary = "give a box devices of this machine, such as a serial port",
    .details =
        "DEVICE is a path such as /dev/kvm or /dev/serial/by-id/NAME. A device that has a name "
        "of its\nown there is found by it at each start, wherever it is plugged in.",
    .options = options,
    .completes = COMPLETE_FILES,
    .operands_max = 3,
    .run = run,
};
