#include <string.h>
#include <unistd.h>

#include "box/commands/commands.h"
#include "box/device_list.h"
#include "box/device_show.h"
#include "box/host_devices.h"
#include "box/lifecycle.h"
#include "cli/commands/project.h"
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

/* "VERB [PROJECT] DEVICE": the device is the last. */
static box *named_box(const arguments *given, const char **device, GError **error)
{
    guint count = g_strv_length(given->operands);
    *device = given->operands[count - 1];
    return project_box(count > 2 ? given->operands[1] : NULL, PROJECT_EXISTING, error);
}

static int add(const arguments *given, GError **error)
{
    const char *path;
    g_autofree char *node = NULL;
    g_autoptr(box) self = named_box(given, &path, error);
    settings_device *device = self ? device_list_add(self, path, &node, error) : NULL;
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

static int take(const arguments *given, GError **error)
{
    const char *path;
    g_autoptr(box) self = named_box(given, &path, error);
    if (!self || !device_list_remove(self, path, error))
        return -1;
    if (runs(self))
        say_warning("box '%s' runs, and has the device until 'box apply' or 'box stop'",
                    self->name);
    return 0;
}

static int list(const arguments *given, GError **error)
{
    g_autoptr(box) self = project_box(given->operands[1], PROJECT_PEEK, error);
    if (!self || !device_show(self, set.json, error))
        return -1;
    if (!set.json && runs(self))
        say_note("box '%s' runs: what was added, removed or plugged in since its start is in it "
                 "after 'box apply'",
                 self->name);
    return 0;
}

static int run(const arguments *given, GError **error)
{
    static const command_verb verbs[] = {{"add", 1, 2, add, FALSE},
                                         {"remove", 1, 2, take, FALSE},
                                         {"list", 0, 1, list, TRUE},
                                         {NULL}};
    return command_run_verb(verbs, given, set.json,
                            "box device add [PROJECT] DEVICE, box device remove [PROJECT] DEVICE, "
                            "or box device list [--json] [PROJECT]",
                            error);
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
