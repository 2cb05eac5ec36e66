/* Checks of the user's account: ids, runtime folder, installation, logout, shims. */
#include "doctor/doctor.h"

#include "box/exec/shims.h"

static void check_user(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->uid == 0)
        doctor_report_addf(report, "user", DOCTOR_ERROR, "run box as an ordinary user",
                           "you are root, who cannot have boxes");
    else if (facts->in_box)
        doctor_report_addf(report, "user", DOCTOR_ERROR, "run box on the host",
                           "this program runs inside of a box");
    else if (facts->in_container)
        doctor_report_addf(
            report, "user", facts->podman_problem ? DOCTOR_WARNING : DOCTOR_NOTE,
            "run box on the host",
            "this program runs inside of a container, where rootless podman may need "
            "extra privileges");
    else
        doctor_report_addf(report, "user", DOCTOR_OK, NULL, "user %s (%u)", facts->user,
                           facts->uid);
}

static void check_install(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->init_is_there)
        doctor_report_addf(report, "install", DOCTOR_OK, NULL, "box-init: %s", facts->init);
    else
        doctor_report_addf(report, "install", DOCTOR_ERROR,
                           "install litterbox again (./quickstart, or 'meson install')",
                           "Litterbox is not installed completely: '%s' is missing", facts->init);
}

static void check_runtime_folder(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->runtime_problem)
        doctor_report_addf(
            report, "runtime-folder", DOCTOR_ERROR,
            "log in (not with su), or: sudo loginctl enable-linger $USER, and export "
            "XDG_RUNTIME_DIR=/run/user/$(id -u)",
            "%s", facts->runtime_problem);
    else
        doctor_report_addf(report, "runtime-folder", DOCTOR_OK, NULL, "XDG_RUNTIME_DIR exists");
}

static void check_subids(const doctor_facts *facts, GPtrArray *report)
{
    guint64 least = MIN(facts->subuids, facts->subgids);
    /* What Podman reports counts more than the files. */
    doctor_level bad = !facts->podman_problem && facts->mapped_uids >= DOCTOR_SUBIDS_USUAL
                           ? DOCTOR_NOTE
                           : DOCTOR_ERROR;

    if (facts->uid == 0)
        return;
    if (facts->subids_elsewhere && least == 0)
        doctor_report_addf(report, "subids", DOCTOR_OK, NULL,
                           "subordinate ids come from the directory service of nsswitch.conf");
    else if (least == 0)
        doctor_report_add(report, "subids", bad,
                          g_strdup_printf("'%s' gives you no subordinate ids",
                                          facts->subuids ? "/etc/subgid" : "/etc/subuid"),
                          doctor_subids_command(facts));
    else if (least < DOCTOR_SUBIDS_USUAL)
        doctor_report_add(report, "subids", MIN(bad, DOCTOR_WARNING),
                          g_strdup_printf("you have only %" G_GUINT64_FORMAT
                                          " subordinate ids; images of "
                                          "distributions need %d",
                                          least, DOCTOR_SUBIDS_USUAL),
                          doctor_subids_command(facts));
    else
        doctor_report_addf(report, "subids", DOCTOR_OK, NULL,
                           "%" G_GUINT64_FORMAT " subordinate user ids, %" G_GUINT64_FORMAT
                           " group ids",
                           facts->subuids, facts->subgids);
}

static void check_id_helper(const doctor_facts *facts, GPtrArray *report)
{
    gboolean proven = !facts->podman_problem && facts->mapped_uids > 1;
    gboolean apt = facts->installer && g_str_has_suffix(facts->installer, "apt-get install");

    if (facts->id_helper)
        doctor_report_addf(report, "newuidmap", DOCTOR_OK, NULL, "newuidmap: %s", facts->id_helper);
    else if (proven)
        doctor_report_addf(report, "newuidmap", DOCTOR_OK, NULL,
                           "newuidmap is not in your PATH, but podman has found it");
    else
        doctor_report_add(report, "newuidmap", DOCTOR_ERROR,
                          g_strdup("newuidmap is not installed: podman cannot use subordinate ids"),
                          facts->installer
                              ? doctor_install_command(facts, apt ? "uidmap" : "shadow-utils")
                              : g_strdup("install uidmap (Debian, Ubuntu) or shadow-utils"));
}

static void check_linger(const doctor_facts *facts, GPtrArray *report)
{
    if (!facts->systemd)
        doctor_report_addf(report, "linger", DOCTOR_OK, NULL,
                           "no systemd, which would stop your boxes when you log out");
    else if (facts->linger)
        doctor_report_addf(report, "linger", DOCTOR_OK, NULL,
                           "boxes keep running when you log out");
    else
        doctor_report_addf(report, "linger", DOCTOR_NOTE, "loginctl enable-linger",
                           "systemd stops your boxes when you log out");
}

/* Broken shims matter, because their programs then run outside of a box without any message. */
static void check_shims(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->shims_stale)
        doctor_report_add(report, "shims", DOCTOR_WARNING,
                          g_strdup_printf("broken shims, whose programs run outside of boxes: %s",
                                          facts->shims_stale),
                          g_strdup("run 'box shim add' or 'box shim remove' with these names"));
    else if (facts->shims && !facts->shims_on_path)
        doctor_report_add(
            report, "shims", DOCTOR_WARNING,
            g_strdup("the folder of the shims is not in PATH: their programs run outside of "
                     "boxes"),
            g_strdup_printf("add to your shell's configuration: %s", facts->shims_add));
    else if (facts->shims_hidden)
        doctor_report_add(report, "shims", DOCTOR_WARNING,
                          g_strdup_printf("PATH finds other programs before these shims: %s",
                                          facts->shims_hidden),
                          g_strdup("move the folder of the shims to the front of PATH"));
    else
        doctor_report_addf(report, "shims", DOCTOR_OK, NULL,
                           facts->shims == 1 ? "%u shim" : "%u shims", facts->shims);
}

const doctor_check doctor_user_checks[] = {
    check_user,      check_install, check_runtime_folder, check_subids,
    check_id_helper, check_linger,  check_shims,          NULL,
};
