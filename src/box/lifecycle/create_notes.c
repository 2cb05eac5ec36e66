#include "box/lifecycle/create_notes.h"

#include <string.h>

#include "box/inspect/devices.h"
#include "box/registry/box.h"
#include "common/text.h"
#include "console/log.h"

void create_notes_show(const plan *planned, gboolean is_new)
{
    for (guint i = 0; is_new && i < planned->warnings->len; i++)
        log_warning("%s", (char *)planned->warnings->pdata[i]);
    for (guint i = 0; i < planned->absent->len; i++)
        log_warning("%s", (char *)planned->absent->pdata[i]);
}

#define GPU_FOLDER "/dev/dri/"

/* The node of "/dev/dri/renderD128:…", a new string; NULL for another device. */
static char *gpu_node(const json_t *device)
{
    const char *path = json_string_value(json_object_get(device, "path"));
    return path && g_str_has_prefix(path, GPU_FOLDER) ? g_strndup(path, strcspn(path, ":")) : NULL;
}

void create_notes_gpu(const struct box *self, const json_t *request, gboolean keep_groups)
{
    json_t *device;
    gsize i;
    json_array_foreach (json_object_get(request, "devices"), i, device) {
        g_autofree char *node = gpu_node(device);
        g_autofree char *why = node ? host_device_rights(node, keep_groups) : NULL;
        if (!why || state_flag_is_set(self, STATE_FLAG_NO_GPU_ACCESS))
            continue;
        g_autofree char *safe = text_safe(node, -1);
        log_note("box '%s' cannot use the GPU '%s': %s", self->name, safe, why);
        state_flag_set(self, STATE_FLAG_NO_GPU_ACCESS);
    }
}

/* Podman's word for a network that the box has of itself; with "none" a gate may let some things
 * out.
 */
static gboolean had_network(const box_container *now)
{
    const json_t *host = json_object_get(now->inspect, "HostConfig");
    const char *mode = json_string_value(json_object_get(host, "NetworkMode"));
    return mode && strcmp(mode, "none") != 0;
}

void create_notes_network(const struct box *self, const config *loaded, const box_container *now)
{
    if (config_asks_by_default(loaded) && had_network(now))
        log_note(
            "box '%s' had an open network, as was the default: it reaches what 'box net rules' "
            "lists now, and asks about the rest; [network] mode = \"open\" opens it again",
            self->name);
}
