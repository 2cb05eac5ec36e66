#include "doctor/doctor.h"

#include <limits.h>
#include <unistd.h>

#include "box/host_devices.h"
#include "bridge/sound_host.h"

static gboolean has_nvidia_file(const char *path)
{
    g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
    for (const char *name; folder && (name = g_dir_read_name(folder));)
        if (g_str_has_prefix(name, "nvidia"))
            return TRUE;
    return FALSE;
}

static void look_gpus(doctor_facts *self)
{
    g_autoptr(GPtrArray) devices = host_devices();
    for (guint i = 0; i < devices->len; i++) {
        const host_device *device = devices->pdata[i];
        if (g_strcmp0(device->kind, "gpu") != 0)
            continue;
        self->gpus++;
        if (!self->gpu_problem)
            self->gpu_problem = host_device_rights(device->node, FALSE);
    }
    self->nvidia = access("/dev/nvidiactl", F_OK) == 0;
    self->nvidia_cdi = has_nvidia_file("/etc/cdi") || has_nvidia_file("/run/cdi");
}

void doctor_look_desktop(doctor_facts *self)
{
    char path[PATH_MAX];
    self->sound = sound_host_socket(path, sizeof path) == 0 ? g_strdup(path) : NULL;
    look_gpus(self);
}
