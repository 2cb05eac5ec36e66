/* Checks of the desktop: display, sound, GPU, menu entries. */
#include "doctor/doctor.h"

#include "box/menu/menu_entries.h"

static void check_display(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->wayland)
        doctor_report_addf(report, "display", DOCTOR_OK, NULL, "Wayland: %s", facts->wayland);
    else if (facts->x11)
        doctor_report_addf(report, "display", DOCTOR_NOTE,
                           "log in to a Wayland session, or set [desktop] x11 = \"nested\"",
                           "only X11 (%s), where each program can read and type into all others",
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
                         ? "'box prune' removes those whose box does not exist"
                         : "Litterbox was moved: 'box app export PROJECT' without a name "
                           "updates the entries of a box"));
    else
        doctor_report_addf(report, "apps", DOCTOR_OK, NULL,
                           facts->apps == 1 ? "%u menu entry of a box" : "%u menu entries of boxes",
                           facts->apps);
}

const doctor_check doctor_desktop_checks[] = {check_display, check_sound, check_gpu, check_apps,
                                              NULL};
