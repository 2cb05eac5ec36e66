/* The user's account: ids, runtime folder, installation, logout, shims. */
#include "doctor/doctor.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "box/registry/shims.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/subid.h"
#include "common/text.h"
#include "proto/network_address.h"

/* Bytes of a configuration file. */
#define PASSWD_FILE_MAX (1 << 20)

guint64 doctor_count_ids(const char *text, const char *user, guint uid)
{
    g_autoptr(GArray) ranges = subid_parse(text, user, uid);
    guint64 count = 0;

    for (guint i = 0; i < ranges->len; i++)
        count += g_array_index(ranges, subid_range, i).count;
    return count;
}

static void probe_ids(doctor_facts *self)
{
    g_autofree char *uids = fs_read_text("/etc/subuid", PASSWD_FILE_MAX);
    g_autofree char *gids = fs_read_text("/etc/subgid", PASSWD_FILE_MAX);
    g_autofree char *sources = fs_read_text("/etc/nsswitch.conf", PASSWD_FILE_MAX);
    const char *line = sources ? strstr(sources, "\nsubid:") : NULL;

    self->subuids = doctor_count_ids(uids, self->user, self->uid);
    self->subgids = doctor_count_ids(gids, self->user, self->uid);
    if (line) {
        g_autofree char *words = g_strndup(line + 1, strcspn(line + 1, "\n"));
        self->subids_elsewhere = strstr(words, "sss") != NULL;
    }
    self->id_helper = g_find_program_in_path("newuidmap");
}

static char *find_installer(void)
{
    static const struct {
        const char *program, *command;
    } known[] = {
        {"apt-get", "sudo apt-get install"},
        {"dnf", "sudo dnf install"},
        {"pacman", "sudo pacman -S"},
        {"zypper", "sudo zypper install"},
    };

    for (gsize i = 0; i < G_N_ELEMENTS(known); i++) {
        g_autofree char *path = g_find_program_in_path(known[i].program);
        if (path)
            return g_strdup(known[i].command);
    }
    return NULL;
}

static void probe_system(doctor_facts *self)
{
    g_autofree char *linger = g_build_filename("/var/lib/systemd/linger", self->user, NULL);

    self->systemd = access("/run/systemd/system", F_OK) == 0;
    self->linger = access(linger, F_OK) == 0;
    self->pasta = g_find_program_in_path("pasta");
    self->slirp4netns = g_find_program_in_path("slirp4netns");
    self->fuse_overlayfs = g_find_program_in_path("fuse-overlayfs");
    self->installer = find_installer();
    self->in_box = g_getenv("LITTERBOX_BOX") && access("/run/litterbox", F_OK) == 0;
    self->in_container =
        access("/run/.containerenv", F_OK) == 0 || access("/.dockerenv", F_OK) == 0;
}

/* Appends NAME to the list TEXT ("a, b"), and frees TEXT. */
static char *append(char *text, const char *name)
{
    char *longer = text ? g_strconcat(text, ", ", name, NULL) : g_strdup(name);
    g_free(text);
    return longer;
}

static void probe_shims(doctor_facts *self)
{
    g_autofree char *file = NULL;
    g_auto(GStrv) names = shims_names();
    self->shims = g_strv_length(names);
    self->shims_on_path = shims_are_on_path();
    self->shims_add = shims_path_line(&file);
    for (char **name = names; *name; name++) {
        if (shims_is_stale(*name))
            self->shims_stale = append(self->shims_stale, *name);
        else if (!shims_is_found(*name))
            self->shims_hidden = append(self->shims_hidden, *name);
    }
}

void doctor_probe_user(doctor_facts *self)
{
    const struct passwd *entry = getpwuid(getuid());
    g_autoptr(GError) problem = NULL;

    g_free(paths_runtime(NULL, &problem));
    self->uid = getuid();
    self->user = entry ? g_strdup(entry->pw_name) : g_strdup_printf("%u", self->uid);
    self->runtime_problem = problem ? g_strdup(problem->message) : NULL;
    self->init = paths_libexec("box-init");
    self->init_is_there = access(self->init, X_OK) == 0;
    probe_ids(self);
    probe_system(self);
    probe_shims(self);
}

static void check_user(const doctor_facts *facts, GPtrArray *report)
{
    if (facts->uid == 0)
        doctor_report_addf(report, "user", DOCTOR_ERROR, "run box as an ordinary user",
                           "you are root: boxes belong to an ordinary user");
    else if (facts->in_box)
        doctor_report_addf(report, "user", DOCTOR_ERROR, "run box on the host",
                           "this is inside a box");
    else if (facts->in_container)
        doctor_report_addf(
            report, "user", facts->podman_problem ? DOCTOR_WARNING : DOCTOR_NOTE,
            "run box on the host",
            "this is inside a container, where rootless podman may need extra privileges");
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
                          g_strdup_printf("broken shims, whose programs run outside boxes: %s",
                                          facts->shims_stale),
                          g_strdup("run 'box shim add' or 'box shim remove' with these names"));
    else if (facts->shims && !facts->shims_on_path)
        doctor_report_add(
            report, "shims", DOCTOR_WARNING,
            g_strdup("the folder of the shims is not in PATH: their programs run outside boxes"),
            g_strdup_printf("add to your shell's configuration: %s", facts->shims_add));
    else if (facts->shims_hidden)
        doctor_report_add(report, "shims", DOCTOR_WARNING,
                          g_strdup_printf("other programs come before these shims in PATH: %s",
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
