/* Writes what the plan mounts: generated files, empty things, folders for overlays and sockets. */
#include "plan/prepare.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/stat.h>

#include "common/fs.h"
#include "common/text.h"

gboolean plan_cannot(const char *verb, const char *path, GError **error)
{
    int saved = errno;
    g_autofree char *safe = text_safe(path, -1);

    g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(saved), "cannot %s '%s': %s", verb,
                safe, g_strerror(saved));
    return FALSE;
}

static gboolean holds(const char *path, const char *text, gsize length)
{
    g_autofree char *old = NULL;
    gsize old_length = 0;

    return fs_read(AT_FDCWD, path, length, &old, &old_length, NULL) && old_length == length &&
           memcmp(old, text, length) == 0;
}

gboolean plan_write(const char *path, const char *text, gssize given, mode_t mode, GError **error)
{
    gsize length = given < 0 ? strlen(text) : (gsize)given;
    /* One name, under the lock of the box: what a kill leaves is replaced by the next start. */
    g_autofree char *temporary = g_strconcat(path, ".new", NULL);

    if (holds(path, text, length))
        return TRUE;
    unlink(temporary);
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return plan_cannot("write", path, error);
    gboolean ok = fs_write_all(fd, text, length) && fchmod(fd, mode) == 0;
    if (close(fd) < 0)
        ok = FALSE;
    if (ok && rename(temporary, path) == 0)
        return TRUE;
    plan_cannot("write", path, error);
    unlink(temporary);
    return FALSE;
}

static gboolean make_folder(const plan_box *box, const char *tail, mode_t mode, GError **error)
{
    g_autofree char *path = plan_data(box, tail);

    if (!fs_make_folder(path, 0700, error))
        return FALSE;
    return chmod(path, mode) == 0 || plan_cannot("open", path, error);
}

static gboolean write_file(const plan_box *box, const char *tail, const char *text, mode_t mode,
                           GError **error)
{
    g_autofree char *path = plan_data(box, tail);

    return plan_write(path, text, -1, mode, error);
}

/* What stands in the place of a hidden path has no mode at all, so that nobody takes it for real.
 */
static gboolean prepare_empty(const plan_box *box, GError **error)
{
    return make_folder(box, "empty", 0700, error) &&
           make_folder(box, PLAN_DATA_HIDDEN_FOLDER, 0, error) &&
           make_folder(box, PLAN_DATA_NESTED "/proc", 0555, error) &&
           write_file(box, PLAN_DATA_HIDDEN_FILE, "", 0, error) &&
           write_file(box, PLAN_DATA_EMPTY_FILE, "", 0444, error);
}

static gboolean prepare_etc(const plan_prepared *self, GError **error)
{
    g_autofree char *hosts = plan_hosts_text(self->box, self->wanted);
    g_autofree char *resolv = plan_resolv_text(self->wanted);
    g_autofree char *profile = plan_profile_text(self->request);

    return make_folder(self->box, PLAN_DATA_ETC, 0700, error) &&
           write_file(self->box, PLAN_DATA_ETC "/hosts", hosts, 0444, error) &&
           write_file(self->box, PLAN_DATA_ETC "/resolv.conf", resolv, 0444, error) &&
           write_file(self->box, PLAN_DATA_ETC "/profile.sh", profile, 0444, error);
}

/* "upperdir=/x" and "workdir=/y" of each overlay. */
static gboolean prepare_overlays(const plan_prepared *self, GError **error)
{
    json_t *overlay, *option;
    gsize i, j;

    json_array_foreach (json_object_get(self->request, "overlay_volumes"), i, overlay)
        json_array_foreach (json_object_get(overlay, "options"), j, option) {
            const char *path = strchr(json_string_value(option), '=');
            if (path && !fs_make_folder(path + 1, 0755, error))
                return FALSE;
        }
    return TRUE;
}

/*
 * Root of the box is another user to the host, and it makes its socket in here: so the folder is
 * open to all, in a folder that only the user may enter.
 */
static gboolean prepare_control(const plan_box *box, GError **error)
{
    g_autofree char *ctl = g_build_filename(box->runtime, "ctl", NULL);

    if (!fs_make_folder(box->runtime, 0700, error) || !fs_make_folder(ctl, 0700, error))
        return FALSE;
    return TRUE;
}

gboolean plan_prepare(const plan_box *box, const settings *wanted, const plan_facts *facts,
                      GError **error)
{
    g_autoptr(plan) made = plan_make(box, wanted, facts, error);

    if (!made)
        return FALSE;
    plan_prepared self = {.box = box, .wanted = wanted, .facts = facts, .request = made->request};
    return fs_make_folder(box->data, 0700, error) && fs_make_folder(box->home, 0700, error) &&
           prepare_control(box, error) && prepare_empty(box, error) && prepare_etc(&self, error) &&
           prepare_overlays(&self, error) && (box->image || plan_prepare_root(&self, error)) &&
           plan_prepare_look(&self, error) && plan_prepare_points(&self, error);
}
