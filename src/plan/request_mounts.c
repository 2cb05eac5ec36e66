/*
 * The list of mounts, and the rules about what may be mounted where, which no setting turns off.
 *
 * Podman sorts mounts by the depth of their destination, so that a folder is mounted before those
 * in it. It accepts two mounts on one destination, so this file refuses them.
 *
 * Each bind mount is recursive. A user namespace cannot bind a folder without the mounts below it,
 * because these are locked to keep what they cover hidden (mount_namespaces(7)). "ro" is not
 * recursive, and Podman 4.3 does not know "rro", so each host mount below a read-only source is
 * mounted read-only as well.
 */
#include "plan/request.h"

#include <string.h>

#include "common/fs.h"
#include "common/text.h"
#include "plan/plan.h"

/* Records that a mount of SOURCE uses TARGET. */
static gboolean claim_target(plan_request *self, const char *source, const char *target,
                             const char *what, GError **error)
{
    const char *other = g_hash_table_lookup(self->targets, target);

    /* jansson packs no such string, so the mount would be missing without an error. */
    if (!g_utf8_validate(source, -1, NULL) || !g_utf8_validate(target, -1, NULL)) {
        g_autofree char *safe = text_safe(source, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "%s: Podman cannot use '%s', because it is not valid UTF-8", what, safe);
        return FALSE;
    }
    if (other) {
        g_autofree char *safe = text_safe(target, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG, "%s and %s cannot both be mounted at '%s'",
                    other, what, safe);
        return FALSE;
    }
    g_hash_table_insert(self->targets, g_strdup(target), g_strdup(what));
    return TRUE;
}

static void append_bind(plan_request *self, const char *source, const char *target,
                        gboolean writable)
{
    json_array_append_new(self->mounts, json_pack("{s:s, s:s, s:s, s:[s, s, s, s, s]}",
                                                  "destination", target, "source", source, "type",
                                                  "bind", "options", writable ? "rw" : "ro",
                                                  "rbind", "rprivate", "nosuid", "nodev"));
}

/* Binds the host's mounts below SOURCE read-only. */
static gboolean bind_below(plan_request *self, const char *source, const char *target,
                           const char *what, GError **error)
{
    for (char **point = self->facts->mount_points; point && *point; point++) {
        if (!fs_is_below(*point, source) || strcmp(*point, source) == 0)
            continue;
        g_autofree char *inside = g_build_filename(target, *point + strlen(source), NULL);
        if (!claim_target(self, *point, inside, what, error))
            return FALSE;
        append_bind(self, *point, inside, FALSE);
    }
    return TRUE;
}

gboolean plan_request_add_bind(plan_request *self, const char *source, const char *target,
                               gboolean writable, const char *what, GError **error)
{
    if (!claim_target(self, source, target, what, error))
        return FALSE;
    append_bind(self, source, target, writable);
    return writable || bind_below(self, source, target, what, error);
}

gboolean plan_request_add_tmpfs(plan_request *self, const char *target, const char *mode,
                                const char *size, const char *what, GError **error)
{
    if (!claim_target(self, "tmpfs", target, what, error))
        return FALSE;
    /* notmpcopyup: Podman would fill the tmpfs with the image's files at TARGET. */
    json_t *options =
        json_pack("[s, s, s, s, s]", "rw", "rprivate", "nosuid", "nodev", "notmpcopyup");
    g_autofree char *mode_option = g_strconcat("mode=", mode, NULL);
    json_array_append_new(options, json_string(mode_option));
    g_autofree char *size_option = g_strconcat("size=", size, NULL);
    json_array_append_new(options, json_string(size_option));
    json_array_append_new(self->mounts,
                          json_pack("{s:s, s:s, s:s, s:o}", "destination", target, "source",
                                    "tmpfs", "type", "tmpfs", "options", options));
    return TRUE;
}

gboolean plan_request_add_proc(plan_request *self, const char *target, const char *what,
                               GError **error)
{
    if (!claim_target(self, "proc", target, what, error))
        return FALSE;
    json_array_append_new(self->mounts, json_pack("{s:s, s:s, s:s, s:[s, s, s]}", "destination",
                                                  target, "source", "proc", "type", "proc",
                                                  "options", "nosuid", "nodev", "noexec"));
    return TRUE;
}

char *plan_overlay_name(const char *target)
{
    g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, target, -1);

    sum[16] = '\0';
    return g_build_filename(PLAN_DATA_OVERLAY, sum, NULL);
}

gboolean plan_request_add_overlay(plan_request *self, const char *source, const char *target,
                                  const char *what, GError **error)
{
    g_autofree char *name = plan_overlay_name(target);
    g_autofree char *changes = plan_data_path(self->box, name);
    g_autofree char *at = g_build_filename(PLAN_ROOT, name, NULL);

    return plan_request_add_bind(self, source, target, FALSE, what, error) &&
           plan_request_add_bind(self, changes, at, TRUE, what, error);
}

const char *const plan_layer_names[N_PLAN_LAYERS] = {
    [PLAN_LAYER_HOME] = "home", [PLAN_LAYER_PROJECT] = "project", [PLAN_LAYER_GIT] = "git"};

gboolean plan_request_add_layer(plan_request *self, enum plan_layer layer, const char *source,
                                const char *target, const char *what, GError **error)
{
    self->layers[layer] = g_strdup(target);
    return plan_request_add_bind(self, source, target, FALSE, what, error);
}

static const char *const kernel_folders[] = {"/proc", "/sys", "/dev"};

gboolean plan_request_check_source(const plan_request *self, const char *source, const char *what,
                                   GError **error)
{
    const plan_facts *facts = self->facts;

    if (strcmp(source, "/") == 0)
        return plan_refuse(what, source, "is the whole machine; name a folder", error);
    for (gsize i = 0; i < G_N_ELEMENTS(kernel_folders); i++)
        if (fs_is_below(source, kernel_folders[i]))
            return plan_refuse(what, source, "belongs to the kernel; list a device under [devices]",
                               error);
    if (fs_is_below(facts->home, source))
        return plan_refuse(what, source,
                           "is or contains your whole home folder; name a folder in it", error);
    for (char **hidden = facts->private_paths; hidden && *hidden; hidden++)
        if (plan_overlaps(source, *hidden))
            return plan_refuse(
                what, source,
                "would show the box the files of Litterbox or Podman, or the sockets of your "
                "desktop session; name a narrower folder",
                error);
    return TRUE;
}

/* Litterbox or Podman mount something at or below these. */
static const char *const reserved[] = {
    "/proc", "/sys", "/dev", PLAN_RUN, "/run/.containerenv", PLAN_X11,
};
static const char *const reserved_exactly[] = {"/", "/run", "/etc", "/tmp", "/home", "/usr"};

gboolean plan_request_check_target(const plan_request *self, const char *target, const char *what,
                                   GError **error)
{
    for (gsize i = 0; i < G_N_ELEMENTS(reserved); i++)
        if (fs_is_below(target, reserved[i]))
            return plan_refuse(what, target,
                               "is used by Litterbox in the box; choose another folder", error);
    for (gsize i = 0; i < G_N_ELEMENTS(reserved_exactly); i++)
        if (strcmp(target, reserved_exactly[i]) == 0)
            return plan_refuse(what, target,
                               "would hide a folder that the box needs; choose a folder in it",
                               error);
    /* A mount above the home or the project would hide it, or be hidden by it. */
    if (fs_is_below(self->facts->home, target))
        return plan_refuse(what, target, "is or contains the box's home; choose a folder in it",
                           error);
    if (fs_is_below(self->box->project, target))
        return plan_refuse(what, target, "is or contains the project; choose a folder in it",
                           error);
    return TRUE;
}

/* Which folders can be the project of no box, whatever a setting or the user says. */
static const char *const system_folders[] = {
    "/",         "/bin",       "/boot",    "/etc",     "/home",      "/lib",
    "/lib32",    "/lib64",     "/libx32",  "/media",   "/mnt",       "/nix",
    "/opt",      "/root",      "/run",     "/sbin",    "/srv",       "/tmp",
    "/usr",      "/var",       "/usr/bin", "/usr/lib", "/usr/lib64", "/usr/local",
    "/usr/sbin", "/usr/share", "/var/lib", "/var/tmp", "/var/home",
};
static const char *const system_trees[] = {"/etc", "/boot", "/proc", "/sys", "/dev", PLAN_RUN};

static gboolean is_system_folder(const char *folder)
{
    for (gsize i = 0; i < G_N_ELEMENTS(system_folders); i++)
        if (strcmp(folder, system_folders[i]) == 0)
            return TRUE;
    return FALSE;
}

const char *plan_project_refusal(const char *folder, const char *home, char *const *private_paths)
{
    if (fs_is_below(home, folder))
        return "is or contains your whole home folder; make a folder for the project in it";
    if (is_system_folder(folder))
        return "is a system folder; make a folder for the project in it";
    for (gsize i = 0; i < G_N_ELEMENTS(system_trees); i++)
        if (fs_is_below(folder, system_trees[i]))
            return "lies in a system folder; move the project elsewhere";
    for (char *const *hidden = private_paths; hidden && *hidden; hidden++)
        if (plan_overlaps(folder, *hidden))
            return "holds files of Litterbox or Podman, or the sockets of your desktop session, or "
                   "lies among them; choose another folder";
    return NULL;
}

gboolean plan_request_check_project(plan_request *self, GError **error)
{
    const char *project = self->box->project;
    g_autofree char *clean = plan_clean_path(project);

    if (!clean || strcmp(clean, project) != 0)
        return plan_refuse("project", project, "is not a clean absolute path", error);
    const char *why = plan_project_refusal(project, self->facts->home, self->facts->private_paths);
    return !why || plan_refuse("project", project, why, error);
}
