/*
 * Mount points on folders of the host.
 *
 * Podman and crun make missing mount points themselves and follow symlinks while they do, inside
 * the box's root. A box can write its home: with "src -> /run/litterbox" planted there, a project
 * at
 * ~/src/root would be mounted over PID 1. So each mount point below a bind is made and walked here,
 * no symlink followed; one in the way is an error.
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

/* The mount that TARGET stands on, or NULL: the root. */
static const json_t *below_what(const plan_prepared *self, const char *target)
{
    static const char *const keys[] = {"mounts", "overlay_volumes"};
    const json_t *deepest = NULL;
    json_t *mount;
    gsize i;

    for (gsize k = 0; k < G_N_ELEMENTS(keys); k++)
        json_array_foreach (json_object_get(self->request, keys[k]), i, mount) {
            const char *at = destination(mount);
            if (strcmp(at, target) != 0 && plan_is_below(target, at) &&
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
                    "'%s' has to be a folder to mount on, and is or goes through something else; "
                    "remove what is in the way",
                    safe);
    else
        g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(saved),
                    "cannot make '%s' to mount on: %s", safe, g_strerror(saved));
    return FALSE;
}

/* Opens the folder NAME in DIR (closed), made when missing. -1 with errno. */
static int enter(int dir, const char *name)
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

/* Makes the file NAME in DIR (closed). -1 with errno 0 when it is there already. */
static int make_file(int dir, const char *name)
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

/* RELATIVE below BASE as a folder, or as a file, whatever stands there already. */
static gboolean make_point(const char *base, const char *relative, gboolean folder, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(relative, "/", -1);
    guint count = g_strv_length(parts);
    int dir = open(base, O_PATH | O_DIRECTORY | O_CLOEXEC);

    for (guint i = 0; dir >= 0 && i < count - (folder ? 0 : 1); i++)
        dir = enter(dir, parts[i]);
    if (dir < 0)
        return fail(error, base, relative);
    if (folder) {
        close(dir);
        return TRUE;
    }
    int fd = make_file(dir, parts[count - 1]);
    if (fd >= 0)
        close(fd);
    return fd >= 0 || errno == 0 || fail(error, base, relative);
}

static gboolean wants_folder(const json_t *mount)
{
    struct stat st;

    return !is_bind(mount) || stat(source(mount), &st) < 0 || S_ISDIR(st.st_mode);
}

static gboolean prepare_point(const plan_prepared *self, const json_t *mount, GError **error)
{
    const char *target = destination(mount);
    const json_t *under = below_what(self, target);
    g_autofree char *root = plan_data(self->box, PLAN_DATA_ROOT);
    const char *base = root;
    const char *relative = target + 1;

    if (under) {
        /* On a tmpfs or an overlay Podman makes it: nothing of the host's is there. */
        if (!is_bind(under))
            return TRUE;
        base = source(under);
        relative = target + strlen(destination(under)) + 1;
    } else if (self->box->image) {
        return TRUE;
    }
    /* A folder bound onto itself is its own mount point. */
    g_autofree char *place = g_build_filename(base, relative, NULL);
    if (is_bind(mount) && strcmp(place, source(mount)) == 0 && under)
        return TRUE;
    return make_point(base, relative, wants_folder(mount), error);
}

gboolean plan_prepare_points(const plan_prepared *self, GError **error)
{
    static const char *const keys[] = {"mounts", "overlay_volumes"};
    json_t *mount;
    gsize i;

    for (gsize k = 0; k < G_N_ELEMENTS(keys); k++)
        json_array_foreach (json_object_get(self->request, keys[k]), i, mount)
            if (!prepare_point(self, mount, error))
                return FALSE;
    return TRUE;
}
