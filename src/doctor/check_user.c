/* The user: may make containers, has what a box needs. */
#include "doctor/check.h"

#include <stdarg.h>

#define IDS_USUAL 65536

char *doctor_install(const doctor_facts *facts, const char *package)
{
    return facts->installer ? g_strdup_printf("%s %s", facts->installer, package)
                            : g_strdup_printf("install %s", package);
}

void doctor_say_what(GPtrArray *report, const char *id, doctor_level level, const char *fix,
                     const char *format, ...)
{
    va_list values;

    va_start(values, format);
    doctor_say(report, id, level, g_strdup_vprintf(format, values), g_strdup(fix));
    va_end(values);
}

static void check_user(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->uid == 0)
        doctor_say_what(report, "user", DOCTOR_ERROR, "run box as an ordinary user",
                        "you are root, and a box belongs to an ordinary user");
    else if (facts->in_box)
        doctor_say_what(report, "user", DOCTOR_ERROR, "run box on the host",
                        "this is the inside of a box");
    else if (facts->in_container)
        doctor_say_what(report, "user", facts->podman_problem ? DOCTOR_WARNING : DOCTOR_NOTE,
                        "run box on the host",
                        "this is the inside of a container, where rootless podman needs help");
    else
        doctor_say_what(report, "user", DOCTOR_OK, NULL, "user %s (%u)", facts->user, facts->uid);
}

static void check_install(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->init_is_there)
        doctor_say_what(report, "install", DOCTOR_OK, NULL, "box-init: %s", facts->init);
    else
        doctor_say_what(report, "install", DOCTOR_ERROR,
                        "install litterbox again (./quickstart, or 'meson install')",
                        "Litterbox is not installed completely: '%s' is missing", facts->init);
}

static void check_runtime_folder(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->runtime_problem)
        doctor_say_what(report, "runtime-folder", DOCTOR_ERROR,
                        "log in (not with su), or: sudo loginctl enable-linger $USER, and export "
                        "XDG_RUNTIME_DIR=/run/user/$(id -u)",
                        "%s", facts->runtime_problem);
    else
        doctor_say_what(report, "runtime-folder", DOCTOR_OK, NULL, "there is a runtime folder");
}

static char *subid_fix(const doctor_facts *facts)
{
    return g_strdup_printf("sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 "
                           "%s, then: podman system migrate",
                           facts->user);
}

static void check_subids(const doctor_facts *facts, GPtrArray *report)
{
    guint64 least = MIN(facts->subuids, facts->subgids);
    /* Podman's own word counts for more than the files. */
    doctor_level bad =
        !facts->podman_problem && facts->mapped_uids >= IDS_USUAL ? DOCTOR_NOTE : DOCTOR_ERROR;

    if (facts->uid == 0)
        return;
    if (facts->subids_elsewhere && least == 0)
        doctor_say_what(report, "subids", DOCTOR_OK, NULL,
                        "subordinate ids come from the directory service of nsswitch.conf");
    else if (least == 0)
        doctor_say(report, "subids", bad,
                   g_strdup_printf("'%s' gives you no subordinate ids",
                                   facts->subuids ? "/etc/subgid" : "/etc/subuid"),
                   subid_fix(facts));
    else if (least < IDS_USUAL)
        doctor_say(report, "subids", MIN(bad, DOCTOR_WARNING),
                   g_strdup_printf("you have only %" G_GUINT64_FORMAT " subordinate ids; images of "
                                   "distributions need %d",
                                   least, IDS_USUAL),
                   subid_fix(facts));
    else
        doctor_say_what(report, "subids", DOCTOR_OK, NULL,
                        "%" G_GUINT64_FORMAT " subordinate user ids, %" G_GUINT64_FORMAT
                        " group ids",
                        facts->subuids, facts->subgids);
}

static void check_id_helper(const doctor_facts *facts, GPtrArray *report)
{
    gboolean proven = !facts->podman_problem && facts->mapped_uids > 1;
    gboolean apt = facts->installer && g_str_has_suffix(facts->installer, "apt-get install");

    if (facts->id_helper)
        doctor_say_what(report, "newuidmap", DOCTOR_OK, NULL, "newuidmap: %s", facts->id_helper);
    else if (proven)
        doctor_say_what(report, "newuidmap", DOCTOR_OK, NULL,
                        "newuidmap is not in your PATH, but podman has found it");
    else
        doctor_say(report, "newuidmap", DOCTOR_ERROR,
                   g_strdup("newuidmap is not installed: podman cannot use subordinate ids"),
                   facts->installer ? doctor_install(facts, apt ? "uidmap" : "shadow-utils")
                                    : g_strdup("install uidmap (Debian, Ubuntu) or shadow-utils"));
}

static void check_linger(const doctor_facts *facts, GPtrArray *report)
{
    if (!facts->systemd)
        doctor_say_what(report, "linger", DOCTOR_OK, NULL,
                        "no systemd, so no logout of it ends your boxes");
    else if (facts->linger)
        doctor_say_what(report, "linger", DOCTOR_OK, NULL, "boxes go on when you log out");
    else
        doctor_say_what(report, "linger", DOCTOR_NOTE, "loginctl enable-linger",
                        "your boxes are stopped when you log out");
}

const doctor_check doctor_user_checks[] = {
    check_user,   check_install, check_runtime_folder, check_subids, check_id_helper,
    check_linger, NULL,
};
