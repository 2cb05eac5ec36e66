/*
 * Devices of the host, as Podman takes them: "/dev/x", "src:dst:perm" or a CDI name.
 *
 * What a device is, its numbers say, whatever its name. A device of a rootless box is a mount: it
 * has the rights that the user has on the host.
 */
#include "plan/draft.h"

#include <string.h>

#include "common/text.h"

/* Character devices through which a box would have more than a device. */
static const struct {
    guint major, first, last; /* minors */
    const char *why;
} never[] = {
    {1, 1, 2, "is this machine's memory"},
    {1, 4, 4, "is this machine's memory"},
    {1, 11, 12, "is the kernel's log"},
    {4, 0, 63, "is a console of this machine"},
    {5, 0, 2, "is a terminal of yours"},
    {7, 0, G_MAXUINT, "is the picture of a console"},
    {10, 223, 223, "makes input devices: the box could type"},
    {10, 239, 239, "makes input devices: the box could type"},
    {13, 0, G_MAXUINT, "is an input device: the box would read what you type"},
    {21, 0, G_MAXUINT, "is a disk by another name"},
    {136, 0, G_MAXUINT, "is a terminal of yours"},
    {162, 0, G_MAXUINT, "is a disk by another name"},
};

/* Their numbers differ from machine to machine. */
static const struct {
    const char *prefix, *why;
} never_named[] = {
    {"/dev/hidraw", "may be a keyboard: the box would read what you type"},
    {"/dev/input/", "is an input device: the box would read what you type"},
    {"/dev/pts/", "is a terminal of yours"},
};

/* What is wrong with a character device, or NULL. */
static const char *wrong_character(const char *path, const plan_path *found)
{
    for (gsize i = 0; i < G_N_ELEMENTS(never); i++)
        if (found->major == never[i].major && found->minor >= never[i].first &&
            found->minor <= never[i].last)
            return never[i].why;
    for (gsize i = 0; i < G_N_ELEMENTS(never_named); i++)
        if (g_str_has_prefix(path, never_named[i].prefix))
            return never_named[i].why;
    return NULL;
}

static const char *wrong(const char *path, const plan_path *found)
{
    switch (found->kind) {
    case PLAN_MISSING:
        return "is not there on this machine";
    case PLAN_LINK:
        return "is a link or lies behind one; name the device that it leads to";
    case PLAN_BLOCK:
        return "is a disk: it would hand the machine's files to the box";
    case PLAN_CHARACTER:
        return wrong_character(path, found);
    default:
        return "is no device";
    }
}

/* Only a device cgroup could take "w" away, and root alone may have that. */
static void warn_of_rights(plan_draft *self, const char *device)
{
    const char *rights = strrchr(device, ':');

    if (!rights || rights[1] == '/' || (strchr(rights, 'r') && strchr(rights, 'w')))
        return;
    g_autofree char *safe = text_safe(device, -1);
    plan_warn(self,
              "devices: '%s' is not restricted to '%s': a rootless box has your own rights on it",
              safe, rights + 1);
}

static gboolean add(plan_draft *self, json_t *list, const char *what, const char *device,
                    GError **error)
{
    g_autofree char *path = g_strndup(device, strcspn(device, ":"));

    if (path[0] == '/') {
        const char *why = wrong(path, plan_facts_path(self->facts, path));
        if (why) {
            g_autofree char *safe = text_safe(path, -1);
            g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG, "%s: '%s' %s", what, safe, why);
            return FALSE;
        }
        warn_of_rights(self, device);
    }
    json_array_append_new(list, json_pack("{s:s}", "path", device));
    return TRUE;
}

gboolean plan_add_devices(plan_draft *self, GError **error)
{
    char **wanted = self->wanted->devices;
    json_t *list = json_array();

    plan_set(self, "devices", list);
    for (char **device = wanted; device && *device; device++)
        if (!add(self, list, "devices.list", *device, error))
            return FALSE;
    if (!self->wanted->network.tun ||
        (wanted && g_strv_contains((const char *const *)wanted, PLAN_TUN)))
        return TRUE;
    return add(self, list, "network.tun", PLAN_TUN, error);
}
