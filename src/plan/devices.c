/*
 * Devices of the host, as Podman takes them: "/dev/x", "src:dst:perm" or a CDI name; and those of
 * `box device add`, whose links are followed at each start, and which may be away.
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
    {29, 0, G_MAXUINT, "is the picture of a console"},
    {136, 0, G_MAXUINT, "is a terminal of yours"},
    {162, 0, G_MAXUINT, "is a disk by another name"},
    /* usbfs takes a device away from its driver, whatever that is; and its number is only that of
     * the plug: at the next start it may be another device's. */
    {189, 0, G_MAXUINT,
     "is a USB device past its driver, and may be a keyboard, a security key or a disk; name what "
     "the driver makes of it, such as /dev/ttyUSB0"},
};

/* Their numbers differ from machine to machine. */
static const struct {
    const char *prefix, *why;
} never_named[] = {
    {"/dev/hidraw", "may be a keyboard: the box would read what you type"},
    {"/dev/usb/hiddev", "may be a keyboard: the box would read what you type"},
    {"/dev/usbmon", "shows all that goes over USB: the box would read what you type"},
    {"/dev/input/", "is an input device: the box would read what you type"},
    {"/dev/tpm", "holds keys of this machine"},
    {"/dev/nvme", "is a disk by another name"},
    {"/dev/ng", "is a disk by another name"},
    {"/dev/bsg/", "is a disk by another name"},
    {"/dev/pts/", "is a terminal of yours"},
    {"/dev/shm/", "lies where everybody may make links"},
    {"/dev/mqueue/", "is no device"},
};

static const char *wrong_name(const char *path)
{
    for (gsize i = 0; i < G_N_ELEMENTS(never_named); i++)
        if (g_str_has_prefix(path, never_named[i].prefix))
            return never_named[i].why;
    return NULL;
}

/* What is wrong with a character device, or NULL. */
static const char *wrong_character(const char *path, const plan_path *found)
{
    for (gsize i = 0; i < G_N_ELEMENTS(never); i++)
        if (found->major == never[i].major && found->minor >= never[i].first &&
            found->minor <= never[i].last)
            return never[i].why;
    return wrong_name(path);
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

const char *plan_device_refused(const plan_facts *facts, const char *source, const char **real)
{
    const plan_path *found = plan_facts_path(facts, source);
    gboolean linked = found->kind == PLAN_LINK;

    *real = linked ? found->real : source;
    if (linked && *real)
        found = plan_facts_path(facts, *real);
    if (!*real || found->kind == PLAN_MISSING) {
        *real = NULL;
        return wrong_name(source);
    }
    if (strchr(*real, ':'))
        return "has a ':' in its name, which podman cannot take";
    const char *why = wrong(*real, found);
    return why ? why : wrong_name(source);
}

/* TRUE when the request has TARGET, or the device itself, already. */
static gboolean is_given(const json_t *list, const char *target)
{
    json_t *device;
    gsize i;

    json_array_foreach (list, i, device) {
        const char *path = json_string_value(json_object_get(device, "path"));
        const char *colon = strchr(path, ':');
        const char *at = colon && colon[1] == '/' ? colon + 1 : path;
        if (strncmp(at, target, strlen(target)) == 0 && strchr(":", at[strlen(target)]))
            return TRUE;
    }
    return FALSE;
}

/* What is away, or has become something else, must not keep the box shut: it is left out. */
static void add_added(plan_draft *self, json_t *list, const settings_device *device)
{
    const char *real, *why = plan_device_refused(self->facts, device->source, &real);
    g_autofree char *safe = text_safe(device->source, -1);
    g_autofree char *safe_real = text_safe(real, -1);

    if (why)
        g_ptr_array_add(self->absent, g_strdup_printf("device '%s' is left out: '%s' %s", safe,
                                                      real ? safe_real : safe, why));
    else if (!real)
        g_ptr_array_add(self->absent,
                        g_strdup_printf("device '%s' is not there now, and left out; once it is, "
                                        "'box restart' brings it in",
                                        safe));
    else if (!is_given(list, device->target))
        json_array_append_new(
            list, json_pack("{s:o}", "path", json_sprintf("%s:%s", real, device->target)));
}

#define DRI_MAJOR 226

/* Whatever its name says, it has to be one; no GPU at all is no reason to say anything. */
static gboolean is_gpu(const plan_facts *facts, const char *path)
{
    const plan_path *found = plan_facts_path(facts, path);

    return found->kind == PLAN_CHARACTER &&
           (found->major == DRI_MAJOR || strcmp(path, "/dev/kfd") == 0);
}

static void add_gpus(plan_draft *self, json_t *list)
{
    for (char **path = self->facts->gpus; path && *path; path++) {
        const settings_device node = {*path, *path};
        if (is_gpu(self->facts, *path))
            add_added(self, list, &node);
    }
}

gboolean plan_add_devices(plan_draft *self, GError **error)
{
    char **wanted = self->wanted->devices;
    json_t *list = json_array();

    plan_set(self, "devices", list);
    for (char **device = wanted; device && *device; device++)
        if (!add(self, list, "devices.list", *device, error))
            return FALSE;
    for (guint i = 0; self->wanted->added_devices && i < self->wanted->added_devices->len; i++)
        add_added(self, list, self->wanted->added_devices->pdata[i]);
    add_gpus(self, list);
    if (!self->wanted->network.tun || is_given(list, PLAN_TUN) ||
        (wanted && g_strv_contains((const char *const *)wanted, PLAN_TUN)))
        return TRUE;
    return add(self, list, "network.tun", PLAN_TUN, error);
}
