/* Devices of the host, as Podman takes them: "/dev/x", "src:dst:perm" or a CDI name. */
#include "plan/draft.h"

#include <string.h>

#include "common/text.h"

/* Through these a box would have the host's disks or memory. */
static const char *const never[] = {"/dev/mem", "/dev/kmem", "/dev/port", "/dev"};

static gboolean is_never(const char *device)
{
    g_auto(GStrv) parts = g_strsplit(device, ":", 2);
    g_autofree char *clean = plan_clean_path(parts[0]);

    for (gsize i = 0; clean && i < G_N_ELEMENTS(never); i++)
        if (strcmp(clean, never[i]) == 0)
            return TRUE;
    return device[0] == '/' && !clean;
}

gboolean plan_add_devices(plan_draft *self, GError **error)
{
    json_t *list = json_array();

    plan_set(self, "devices", list);
    for (char **device = self->wanted->devices; device && *device; device++) {
        if (is_never(*device)) {
            g_autofree char *safe = text_safe(*device, -1);
            g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                        "devices: '%s' would hand the machine to the box", safe);
            return FALSE;
        }
        json_array_append_new(list, json_pack("{s:s}", "path", *device));
    }
    if (self->wanted->network.tun)
        json_array_append_new(list, json_pack("{s:s}", "path", "/dev/net/tun"));
    return TRUE;
}
