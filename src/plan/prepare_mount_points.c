/*
 * Mount points in folders of the host.
 *
 * Podman and crun create missing mount points, and follow symbolic links in the box's root while
 * they do. A box can write its home: with the link "src -> /run/litterbox" in it, a project at
 * ~/src/root would be mounted over PID 1. So this file creates each mount point below a bind mount,
 * and follows no symbolic link: one on the way is an error. No more does it on the way to the
 * mount, as another box may have put one there since the plan was made.
 */
#include "plan/prepare.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <sys/stat.h>

#include "common/fs.h"
#include "common/text.h"

static const char *destination(const json_t *mount)
{
    return json_string_value(json_object_get(mount, "destination"));
}

static const char *source(const json_t *mount)
{
    return json_string_value(json_object_get(mount, "source"));
}

/* The mount that contains TARGET; NULL: the root folder. */
static const json_t *parent_mount(const plan_prepare_context *self, const char *target)
{
    const json_t *deepest = NULL;
    json_t *mount;
    gsize i;

    json_array_foreach (json_object_get(self->request, "mounts"), i, mount) {
        const char *at = destination(mount);
        if (strcmp(at, target) != 0 && fs_is_below(target, at) &&
            (!deepest || strlen(at) > strlen(destination(deepest))))
            deepest = mount;
    }
    return deepest;
}

static gboolean is_bind(const json_t *mount)
{
    return g_strcmp0(json_string_value(json_object_get(mount, "type")), "bind") == 0;
}

static gboolean fail(GError **error, const char *base, const char *relative)
{
    int saved = errno;
    g_autofree char *path = g_build_filename(base, relative, NULL);
    g_autofree char *safe = text_safe(path, -1);

    if (saved == ELOOP || saved == ENOTDIR)
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFIG,
                    "'%s' must be a folder to mount on, but it or a folder above it is a symbolic "
                    "link or a file; remove that",
                    safe);
    else
        g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(saved),
                    "cannot create the mount point '%s': %s", safe, g_strerror(saved));
    return FALSE;
}

/* Closes DIR and opens the folder NAME in it, created if missing. -1 with errno. */
static int enter_folder(int dir, const char *name)
{
    if (mkdirat(dir, name, 0755) < 0 && errno != EEXIST) {
        int saved = errno;
        close(dir);
        errno = saved;
        return -1;
    }
    int fd = openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int saved = errno;
    close(dir);
    errno = saved;
    return fd;
}

/* Closes DIR and creates the file NAME in it. -1 with errno 0 when it exists already. */
static int create_file(int dir, const char *name)
{
    struct stat st;
    int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

    if (fd < 0 && errno == EEXIST && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        errno = S_ISREG(st.st_mode) ? 0 : ENOTDIR;
    int saved = errno;
    close(dir);
    errno = saved;
    return fd;
}

/* Sources are real paths. Another box that can write above one may have put a link in its place;
 * on the way to Litterbox's own folders are no links but those of the user. */
static int open_base(const plan_box *box, const char *base)
{
    return fs_is_below(base, box->data) || fs_is_below(base, box->home)
               ? open(base, O_PATH | O_DIRECTORY | O_CLOEXEC)
               : fs_open_real(base, O_PATH | O_DIRECTORY);
}

/* Creates RELATIVE below BASE, as a folder or as a file, unless it exists. */
static gboolean create_mount_point(const plan_box *box, const char *base, const char *relative,
                                   gboolean folder, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(relative, "/", -1);
    guint count = g_strv_length(parts);
    int dir = open_base(box, base);

    for (guint i = 0; dir >= 0 && i < count - (folder ? 0 : 1); i++)
        dir = enter_folder(dir, parts[i]);
    if (dir < 0)
        return fail(error, base, relative);
    if (folder) {
        close(dir);
        return TRUE;
    }
    int fd = create_file(dir, parts[count - 1]);
    if (fd >= 0)
        close(fd);
    return fd >= 0 || errno == 0 || fail(error, base, relative);
}

static gboolean needs_folder(const json_t *mount)
{
    struct stat st;

    return !is_bind(mount) || stat(source(mount), &st) < 0 || S_ISDIR(st.st_mode);
}

static gboolean prepare_mount_point(const plan_prepare_context *self, const json_t *mount,
                                    GError **error)
{
    const char *target = destination(mount);
    const json_t *parent = parent_mount(self, target);
    g_autofree char *root = plan_data_path(self->box, PLAN_DATA_ROOT);
    const char *base = root;
    const char *relative = target + 1;

    if (parent) {
        /* Podman may create it in a tmpfs, which is no folder of the host. */
        if (!is_bind(parent))
            return TRUE;
        base = source(parent);
        relative = target + strlen(destination(parent)) + 1;
    } else if (self->box->image) {
        return TRUE;
    }
    /* What is mounted on itself exists already. */
    g_autofree char *path = g_build_filename(base, relative, NULL);
    if (is_bind(mount) && strcmp(path, source(mount)) == 0 && parent)
        return TRUE;
    return create_mount_point(self->box, base, relative, needs_folder(mount), error);
}

gboolean plan_prepare_mount_points(const plan_prepare_context *self, GError **error)
{
    json_t *mount;
    gsize i;

    json_array_foreach (json_object_get(self->request, "mounts"), i, mount)
        if (!prepare_mount_point(self, mount, error))
            return FALSE;
    return TRUE;
}
