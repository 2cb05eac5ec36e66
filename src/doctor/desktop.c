/* The desktop: display, sound, GPU, menu entries. */
#include "doctor/doctor.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "box/inspect/devices.h"
#include "box/menu/menu_entries.h"
#include "net/desktop_sockets.h"

static gboolean has_nvidia_file(const char *path)
{
    g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
    for (const char *name; folder && (name = g_dir_read_name(folder));)
        if (g_str_has_prefix(name, "nvidia"))
            return TRUE;
    return FALSE;
}

static void probe_gpus(doctor_facts *self)
{
    g_autoptr(GPtrArray) devices = host_device_list();
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

static void probe_apps(doctor_facts *self)
{
    g_autoptr(GPtrArray) list = menu_entries_find(NULL);
    g_autoptr(GString) stale = g_string_new(NULL);
    self->apps = list->len;
    for (guint i = 0; i < list->len; i++) {
        const menu_entry *one = list->pdata[i];
        if (one->is_orphan || one->is_broken)
            g_string_append_printf(stale, "%s%s of box %s", stale->len ? ", " : "", one->id,
                                   one->box);
        self->apps_orphaned |= one->is_orphan;
    }
    if (stale->len)
        self->apps_stale = g_strdup(stale->str);
}

void doctor_probe_desktop(doctor_facts *self)
{
    char path[PATH_MAX];
    const char *x11 = g_getenv("DISPLAY");

    self->wayland = desktop_wayland_socket(path, sizeof path) == 0 ? g_strdup(path) : NULL;
    self->x11 = x11 && *x11 ? g_strdup(x11) : NULL;
    self->sound = desktop_sound_socket(path, sizeof path) == 0 ? g_strdup(path) : NULL;
    probe_gpus(self);
    probe_apps(self);
}

static void check_display(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->wayland)
        doctor_report_addf(report, "display", DOCTOR_OK, NULL, "Wayland: %s", facts->wayland);
    else if (facts->x11)
        doctor_report_addf(report, "display", DOCTOR_NOTE,
                           "log in to a Wayland session, or set [desktop] x11 = \"nested\"",
                           "only X11 (%s), where each program can read and control all others",
                           facts->x11);
    else
        doctor_report_addf(report, "display", DOCTOR_OK, NULL, "no display");
}

static void check_sound(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->sound)
        doctor_report_addf(report, "sound", DOCTOR_OK, NULL, "sound: %s", facts->sound);
    else if (facts->wayland || facts->x11)
        doctor_report_add(report, "sound", DOCTOR_NOTE,
                          g_strdup("neither PulseAudio nor PipeWire answers: boxes have no sound"),
                          doctor_install_command(facts, "pipewire-pulse"));
    else
        doctor_report_addf(report, "sound", DOCTOR_OK, NULL, "no sound server");
}

static void check_gpu(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->gpu_problem)
        doctor_report_addf(report, "gpu", DOCTOR_NOTE,
                           "log in at the machine itself, or join the group and set [security] "
                           "keep_groups = true",
                           "boxes cannot use the GPU: %s", facts->gpu_problem);
    else if (facts->gpus > 0)
        doctor_report_addf(report, "gpu", DOCTOR_OK, NULL, "GPUs that boxes can use: %u",
                           facts->gpus);
    else if (!facts->nvidia)
        doctor_report_addf(report, "gpu", DOCTOR_OK, NULL, "no GPU");
    if (!facts->nvidia)
        return;
    if (facts->nvidia_cdi)
        doctor_report_addf(report, "nvidia", DOCTOR_OK, NULL,
                           "NVIDIA: [devices] list = [\"nvidia.com/gpu=all\"] gives it to a box");
    else
        doctor_report_addf(
            report, "nvidia", DOCTOR_NOTE,
            "sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml, then "
            "[devices] list = [\"nvidia.com/gpu=all\"]",
            "NVIDIA's driver is loaded, but the CDI files that podman needs for its GPU "
            "are missing");
}

static void check_apps(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->apps_stale)
        doctor_report_add(
            report, "apps", DOCTOR_WARNING,
            g_strdup_printf("broken menu entries: %s", facts->apps_stale),
            g_strdup(facts->apps_orphaned
                         ? "'box prune' removes those whose box is gone"
                         : "Litterbox was moved: 'box app export PROJECT' without a name "
                           "updates the entries of a box"));
    else
        doctor_report_addf(report, "apps", DOCTOR_OK, NULL,
                           facts->apps == 1 ? "%u menu entry of a box" : "%u menu entries of boxes",
                           facts->apps);
}

const doctor_check doctor_desktop_checks[] = {check_display, check_sound, check_gpu, check_apps,
                                              NULL};
