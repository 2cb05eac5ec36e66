/* What of the user's desktop a box can have. */
#include "doctor/check.h"

static void check_display(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->wayland)
        doctor_say_what(report, "display", DOCTOR_OK, NULL, "Wayland: %s", facts->wayland);
    else if (facts->x11)
        doctor_say_what(report, "display", DOCTOR_NOTE,
                        "log in to a Wayland session, or set [desktop] x11 = \"nested\"",
                        "X11 alone (%s), on which every program sees and types into every other",
                        facts->x11);
    else
        doctor_say_what(report, "display", DOCTOR_OK, NULL, "no display");
}

static void check_sound(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->sound)
        doctor_say_what(report, "sound", DOCTOR_OK, NULL, "sound: %s", facts->sound);
    else if (facts->wayland || facts->x11)
        doctor_say(report, "sound", DOCTOR_NOTE,
                   g_strdup("no PulseAudio and no PipeWire answers: boxes have no sound"),
                   doctor_install(facts, "pipewire-pulse"));
    else
        doctor_say_what(report, "sound", DOCTOR_OK, NULL, "no sound server");
}

static void check_gpu(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->gpu_problem)
        doctor_say_what(report, "gpu", DOCTOR_NOTE,
                        "log in at the machine itself, or join the group and set [security] "
                        "keep_groups = true",
                        "the GPU is of no use to a box: %s", facts->gpu_problem);
    else if (facts->gpus > 0)
        doctor_say_what(report, "gpu", DOCTOR_OK, NULL, "GPUs that a box can use: %u", facts->gpus);
    else if (!facts->nvidia)
        doctor_say_what(report, "gpu", DOCTOR_OK, NULL, "no GPU");
    if (!facts->nvidia)
        return;
    if (facts->nvidia_cdi)
        doctor_say_what(report, "nvidia", DOCTOR_OK, NULL,
                        "NVIDIA: [devices] list = [\"nvidia.com/gpu=all\"] gives it to a box");
    else
        doctor_say_what(report, "nvidia", DOCTOR_NOTE,
                        "sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml, then "
                        "[devices] list = [\"nvidia.com/gpu=all\"]",
                        "NVIDIA's driver is here without CDI files, by which podman gives its GPU "
                        "to a box");
}

const doctor_check doctor_desktop_checks[] = {check_display, check_sound, check_gpu, NULL};
