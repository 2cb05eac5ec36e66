#include "box/gpu.h"

#include "box/host_devices.h"
#include "box/notes.h"
#include "box/say.h"
#include "common/text.h"

#define FOLDER "/dev/dri/"

/* "/dev/dri/renderD128:…" without what follows; NULL: another device. A new string. */
static char *node_of(const json_t *device)
{
    const char *path = json_string_value(json_object_get(device, "path"));
    return path && g_str_has_prefix(path, FOLDER) ? g_strndup(path, strcspn(path, ":")) : NULL;
}

void gpu_note_rights(const box *self, const json_t *request, gboolean keep_groups)
{
    json_t *device;
    gsize i;
    json_array_foreach (json_object_get(request, "devices"), i, device) {
        g_autofree char *node = node_of(device);
        g_autofree char *why = node ? host_device_rights(node, keep_groups) : NULL;
        if (!why || note_is_there(self, NOTE_GPU_RIGHTS))
            continue;
        g_autofree char *safe = text_safe(node, -1);
        say_note("the GPU '%s' is of no use to box '%s': %s", safe, self->name, why);
        note_make(self, NOTE_GPU_RIGHTS);
    }
}
