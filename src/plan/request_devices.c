/*
 * Devices of the host: those of devices.list in Podman's syntax ("/dev/x", "SOURCE:TARGET:RIGHTS",
 * or a name of the Container Device Interface); those of `box device add`, whose symbolic links are
 * followed at each start, and which may be missing; and the GPU.
 *
 * A device is judged by its major and minor number (the kernel's admin-guide/devices.rst), because
 * its name can be anything. Rootless Podman mounts the node, so the box has the user's rights on
 * the device.
 */
#include "plan/request.h"

#include <string.h>

#include "common/text.h"

/* Character devices that would give a box control over the machine or the user's input. */
static const struct {
    guint major, first, last; /* first and last minor */
    const char *why;
} refused_numbers[] = {
    {1, 1, 2, "is this machine's memory"},
    {1, 4, 4, "is this machine's memory"},
    {1, 11, 12, "is the kernel's log"},
    {4, 0, 63, "is a console of this machine"},
    {5, 0, 2, "is one of your terminals"},
    {7, 0, G_MAXUINT, "shows the contents of a console"},
    {10, 223, 223, "creates input devices: the box could type"},
    {10, 239, 239, "creates input devices: the box could type"},
    {13, 0, G_MAXUINT, "is an input device: the box could read what you type"},
    {21, 0, G_MAXUINT, "gives direct access to a disk"},
    {29, 0, G_MAXUINT, "shows the contents of a console"},
    {136, 0, G_MAXUINT, "is one of your terminals"},
    {162, 0, G_MAXUINT, "gives direct access to a disk"},
    /* usbfs lets a program detach any driver. And these numbers follow the order in which devices
     * are plugged in, so at the next start the node may be another device. */
    {189, 0, G_MAXUINT,
     "gives direct access to a USB device, which may be a keyboard, a security key or a disk; name "
     "its driver's node instead, such as /dev/ttyUSB0"},
};

/* Devices whose numbers the kernel assigns dynamically. */
static const struct {
    const char *prefix, *why;
} refused_names[] = {
    {"/dev/hidraw", "may be a keyboard: the box could read what you type"},
    {"/dev/usb/hiddev", "may be a keyboard: the box could read what you type"},
    {"/dev/usbmon", "shows all USB traffic: the box could read what you type"},
    {"/dev/input/", "is an input device: the box could read what you type"},
    {"/dev/tpm", "holds keys of this machine"},
    {"/dev/nvme", "gives direct access to a disk"},
    {"/dev/ng", "gives direct access to a disk"},
    {"/dev/bsg/", "gives direct access to a disk"},
    {"/dev/pts/", "is one of your terminals"},
    {"/dev/shm/", "is in a folder where every user can create links"},
    {"/dev/mqueue/", "is not a device"},
};

static const char *check_name(const char *path)
{
    for (gsize i = 0; i < G_N_ELEMENTS(refused_names); i++)
        if (g_str_has_prefix(path, refused_names[i].prefix))
            return refused_names[i].why;
    return NULL;
}

/* These functions return why a box may not have the device, or NULL. */
static const char *check_character(const char *path, const plan_file *found)
{
    for (gsize i = 0; i < G_N_ELEMENTS(refused_numbers); i++)
        if (found->major == refused_numbers[i].major && found->minor >= refused_numbers[i].first &&
            found->minor <= refused_numbers[i].last)
            return refused_numbers[i].why;
    return check_name(path);
}

static const char *check_device(const char *path, const plan_file *found)
{
    switch (found->type) {
    case PLAN_TYPE_MISSING:
        return "is missing on this machine";
    case PLAN_TYPE_LINK:
        return "is, or is reached through, a symbolic link; name the device itself";
    case PLAN_TYPE_BLOCK:
        return "is a disk: the box could read the machine's files";
    case PLAN_TYPE_CHARACTER:
        return check_character(path, found);
    default:
        return "is not a device";
    }
}

/* Only a device cgroup could restrict the rights, and only root can create one. */
static void warn_about_rights(plan_request *self, const char *device)
{
    const char *rights = strrchr(device, ':');

    if (!rights || rights[1] == '/' || (strchr(rights, 'r') && strchr(rights, 'w')))
        return;
    g_autofree char *safe = text_safe(device, -1);
    plan_request_warn(
        self, "devices: '%s' is not restricted to '%s': the box has your rights on the device",
        safe, rights + 1);
}

static gboolean add_listed(plan_request *self, json_t *list, const char *what, const char *device,
                           GError **error)
{
    g_autofree char *path = g_strndup(device, strcspn(device, ":"));

    if (path[0] == '/') {
        const char *why = check_device(path, plan_facts_file(self->facts, path));
        if (why) {
            g_autofree char *safe = text_safe(path, -1);
            g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG, "%s: '%s' %s", what, safe, why);
            return FALSE;
        }
        warn_about_rights(self, device);
    }
    json_array_append_new(list, json_pack("{s:s}", "path", device));
    return TRUE;
}

/* plan_check_device() on FACTS; *REAL belongs to them. */
static const char *plan_device_refusal(const plan_facts *facts, const char *source,
                                       const char **real)
{
    const plan_file *found = plan_facts_file(facts, source);
    gboolean linked = found->type == PLAN_TYPE_LINK;

    *real = linked ? found->real : source;
    if (linked && *real)
        found = plan_facts_file(facts, *real);
    if (!*real || found->type == PLAN_TYPE_MISSING) {
        *real = NULL;
        return check_name(source);
    }
    if (strchr(*real, ':'))
        return "has a ':' in its name, which Podman does not support";
    const char *why = check_device(*real, found);
    return why ? why : check_name(source);
}

/* TRUE when the request already has a device at TARGET. */
static gboolean has_target(const json_t *list, const char *target)
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

/* Leaves out a device that is missing or refused, so that the box can start without it. */
static void add_optional(plan_request *self, json_t *list, const settings_device *device)
{
    const char *real, *why = plan_device_refusal(self->facts, device->source, &real);
    g_autofree char *safe = text_safe(device->source, -1);
    g_autofree char *safe_real = text_safe(real, -1);

    if (why)
        g_ptr_array_add(self->absent, g_strdup_printf("device '%s' is skipped: '%s' %s", safe,
                                                      real ? safe_real : safe, why));
    else if (!real)
        g_ptr_array_add(
            self->absent,
            g_strdup_printf(
                "device '%s' is missing and skipped; run 'box restart' once it is there", safe));
    else if (!has_target(list, device->target))
        json_array_append_new(
            list, json_pack("{s:o}", "path", json_sprintf("%s:%s", real, device->target)));
}

#define DRI_MAJOR 226 /* Direct Rendering Infrastructure: admin-guide/devices.rst */

static gboolean is_gpu(const plan_facts *facts, const char *path)
{
    const plan_file *found = plan_facts_file(facts, path);

    return found->type == PLAN_TYPE_CHARACTER &&
           (found->major == DRI_MAJOR || strcmp(path, "/dev/kfd") == 0);
}

static void add_gpus(plan_request *self, json_t *list)
{
    for (char **path = self->facts->gpus; path && *path; path++) {
        const settings_device node = {*path, *path};
        if (is_gpu(self->facts, *path))
            add_optional(self, list, &node);
    }
}

gboolean plan_request_add_devices(plan_request *self, GError **error)
{
    char **wanted = self->wanted->devices;
    json_t *list = json_array();

    plan_request_set(self, "devices", list);
    for (char **device = wanted; device && *device; device++)
        if (!add_listed(self, list, "devices.list", *device, error))
            return FALSE;
    for (guint i = 0; self->wanted->added_devices && i < self->wanted->added_devices->len; i++)
        add_optional(self, list, self->wanted->added_devices->pdata[i]);
    add_gpus(self, list);
    if (!self->wanted->network.tun || has_target(list, PLAN_TUN) ||
        (wanted && g_strv_contains((const char *const *)wanted, PLAN_TUN)))
        return TRUE;
    return add_listed(self, list, "network.tun", PLAN_TUN, error);
}

const char *plan_check_device(const char *source, char **real)
{
    g_autoptr(plan_facts) facts = plan_facts_new();
    const char *found;

    plan_probe_device(facts, source);
    const char *why = plan_device_refusal(facts, source, &found);
    *real = g_strdup(found);
    return why;
}
