/*
 * The ordered list of mounts.
 *
 * Podman sorts mounts by the depth of their destination, so a parent always comes before what lies
 * in it. What is ours to prevent is two mounts on one destination.
 *
 * Every bind is recursive, because a user namespace may not take a folder without the mounts on it
 * (they are locked, so that nothing is uncovered). "ro" holds for the top mount alone: Podman 4.3
 * knows no "rro". So each of the host's mounts below a read-only source is bound read-only as well.
 */
#include "plan/draft.h"

#include <string.h>

#include "common/text.h"

static gboolean claim(plan_draft *self, const char *source, const char *target, const char *what,
                      GError **error)
{
    const char *other = g_hash_table_lookup(self->targets, target);

    /* What JSON cannot say would silently be left out. */
    if (!g_utf8_validate(source, -1, NULL) || !g_utf8_validate(target, -1, NULL)) {
        g_autofree char *safe = text_safe(source, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "%s: '%s' is not valid UTF-8 and cannot be handed to Podman", what, safe);
        return FALSE;
    }
    if (other) {
        g_autofree char *safe = text_safe(target, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG, "%s and %s both want to be at '%s'", other,
                    what, safe);
        return FALSE;
    }
    g_hash_table_insert(self->targets, g_strdup(target), g_strdup(what));
    return TRUE;
}

static void append_bind(plan_draft *self, const char *source, const char *target, gboolean writable)
{
    json_array_append_new(self->mounts, json_pack("{s:s, s:s, s:s, s:[s, s, s, s, s]}",
                                                  "destination", target, "source", source, "type",
                                                  "bind", "options", writable ? "rw" : "ro",
                                                  "rbind", "rprivate", "nosuid", "nodev"));
}

/* The host's own mounts below SOURCE, each read-only too. */
static gboolean bind_below(plan_draft *self, const char *source, const char *target,
                           const char *what, GError **error)
{
    for (char **point = self->facts->mount_points; point && *point; point++) {
        if (!plan_is_below(*point, source) || strcmp(*point, source) == 0)
            continue;
        g_autofree char *inside = g_build_filename(target, *point + strlen(source), NULL);
        if (!claim(self, *point, inside, what, error))
            return FALSE;
        append_bind(self, *point, inside, FALSE);
    }
    return TRUE;
}

gboolean plan_mount_bind(plan_draft *self, const char *source, const char *target,
                         gboolean writable, const char *what, GError **error)
{
    if (!claim(self, source, target, what, error))
        return FALSE;
    append_bind(self, source, target, writable);
    return writable || bind_below(self, source, target, what, error);
}

gboolean plan_mount_tmpfs(plan_draft *self, const char *target, const char *mode, const char *size,
                          const char *what, GError **error)
{
    if (!claim(self, "tmpfs", target, what, error))
        return FALSE;
    /* notmpcopyup: what an image left at this place stays out. */
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

gboolean plan_mount_proc(plan_draft *self, const char *target, const char *what, GError **error)
{
    if (!claim(self, "proc", target, what, error))
        return FALSE;
    json_array_append_new(self->mounts, json_pack("{s:s, s:s, s:s, s:[s, s, s]}", "destination",
                                                  target, "source", "proc", "type", "proc",
                                                  "options", "nosuid", "nodev", "noexec"));
    return TRUE;
}

char *plan_overlay_folder(const plan_box *box, const char *target)
{
    g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, target, -1);

    sum[16] = '\0';
    return g_build_filename(box->data, PLAN_DATA_OVERLAY, sum, NULL);
}

/* The kernel's overlay options know no quotes: "a:/b" as a source would show /b as well. */
static gboolean check_overlay(const char *path, const char *what, GError **error)
{
    if (!strpbrk(path, ":,\\\""))
        return TRUE;
    g_autofree char *safe = text_safe(path, -1);
    g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                "%s: '%s' cannot be an overlay, because its name holds one of : , \\ \"", what,
                safe);
    return FALSE;
}

gboolean plan_mount_overlay(plan_draft *self, const char *source, const char *target,
                            const char *what, GError **error)
{
    g_autofree char *folder = plan_overlay_folder(self->box, target);

    if (!check_overlay(source, what, error) || !check_overlay(folder, what, error) ||
        !claim(self, source, target, what, error))
        return FALSE;
    g_autofree char *upper = g_strconcat("upperdir=", folder, "/upper", NULL);
    g_autofree char *work = g_strconcat("workdir=", folder, "/work", NULL);
    json_array_append_new(self->overlays, json_pack("{s:s, s:s, s:[s, s]}", "destination", target,
                                                    "source", source, "options", upper, work));
    return TRUE;
}
