/*
 * Podman could mount an overlay, too. But it names the lower folder by a path, which another box
 * may replace by a link at that moment, and an overlay does not show which folder it has taken.
 * Here the lower folder is a bind mount of the box that has been verified. Older Podmans also lack
 * the option "userxattr", without which a folder of the host cannot be removed in the copy.
 *
 * The options are those of the kernel's filesystems/overlayfs.rst: with userxattr there are neither
 * redirects nor metacopy, so what is in the upper folder leads to no other part of the lower one.
 */
#include "box/lifecycle/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/mount.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "box/lifecycle/branch_copies.h"
#include "box/lifecycle/container.h"
#include "box/registry/branch_copied.h"
#include "common/fs.h"
#include "common/text.h"
#include "plan/plan.h"

/* Mounts right below a layer: those of [[mount]], toolchains and the like. */
#define CHILDREN_MAX 1024

#define OVERLAYS PLAN_ROOT "/" PLAN_DATA_OVERLAY

/* A mount of the box. */
typedef struct {
    int id, parent;
    char *path;
} mount_line;

static void mount_line_free(gpointer data)
{
    mount_line *self = data;
    g_free(self->path);
    g_free(self);
}

/* LINES of /proc/PID/mountinfo (proc(5)); a path has its special bytes as "\040". */
static GPtrArray *parse_mounts(const char *text)
{
    GPtrArray *mounts = g_ptr_array_new_with_free_func(mount_line_free);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        int id, parent, used = 0;
        if (sscanf(*line, "%d %d %*s %*s %n", &id, &parent, &used) != 2 || !used)
            continue;
        g_autofree char *escaped = g_strndup(*line + used, strcspn(*line + used, " "));
        mount_line *mount = g_new0(mount_line, 1);
        *mount = (mount_line){id, parent, g_strcompress(escaped)};
        g_ptr_array_add(mounts, mount);
    }
    return mounts;
}

static GPtrArray *read_mounts(pid_t pid, GError **error)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/mountinfo", (int)pid);
    g_autofree char *text = NULL;
    if (fs_read(AT_FDCWD, path, MOUNTINFO_MAX, &text, NULL, error))
        return parse_mounts(text);
    g_prefix_error(error, "cannot read the mounts of the box: ");
    return NULL;
}

/* In the child, in the box's namespaces (container.h). */

/* What the overlay would cover: the mounts on AT, each with those below it. */
typedef struct {
    int fds[CHILDREN_MAX];
    const char *paths[CHILDREN_MAX];
    gsize count;
} covered;

/* A box that can write above a mount may exchange folders and links there while this works: so no
 * path is opened through a link, here and below. */
static int clone_mount(const char *path)
{
    int at = fs_open_real(path, O_PATH);
    int fd = at < 0
                 ? -1
                 : (int)syscall(SYS_open_tree, at, "",
                                OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_EMPTY_PATH);
    int saved = errno;
    if (at >= 0)
        close(at);
    errno = saved;
    return fd;
}

static int enter(const char *path)
{
    int fd = fs_open_real(path, O_PATH | O_DIRECTORY);
    int status = fd < 0 ? -1 : fchdir(fd);
    int saved = errno;
    if (fd >= 0)
        close(fd);
    errno = saved;
    return status;
}

static int collect_covered(const GPtrArray *mounts, const char *at, covered *result)
{
    int id = -1;
    for (guint i = 0; i < mounts->len; i++) {
        const mount_line *mount = mounts->pdata[i];
        if (strcmp(mount->path, at) == 0)
            id = mount->id;
    }
    if (id < 0) {
        errno = ENOENT;
        return -1;
    }
    for (guint i = 0; i < mounts->len; i++) {
        const mount_line *mount = mounts->pdata[i];
        if (mount->parent != id || strcmp(mount->path, at) == 0)
            continue;
        errno = E2BIG;
        int fd = result->count == CHILDREN_MAX ? -1 : clone_mount(mount->path);
        if (fd < 0)
            return -1;
        result->fds[result->count] = fd;
        result->paths[result->count++] = mount->path;
    }
    return 0;
}

/* Makes again what the box has removed in the overlay, for MOUNT at PATH. */
static int make_mount_point(int mount, const char *path)
{
    struct stat st;
    char above[PATH_MAX];
    const char *name = strrchr(path, '/') + 1;
    snprintf(above, sizeof above, "%.*s", (int)(name - path), path);
    int folder = fs_open_real(above, O_PATH | O_DIRECTORY);
    if (folder < 0 || fstat(mount, &st) < 0)
        return -1;
    return S_ISDIR(st.st_mode) ? mkdirat(folder, name, 0755)
                               : mknodat(folder, name, S_IFREG | 0644, 0);
}

/* The overlay has the links that the box has made. Followed, one would lead a mount over anything,
 * such as PID 1, after all mounts have been verified. */
static int put_back(const covered *result)
{
    for (gsize i = 0; i < result->count; i++) {
        int at = fs_open_real(result->paths[i], O_PATH);
        if (at < 0 && errno == ENOENT && make_mount_point(result->fds[i], result->paths[i]) == 0)
            at = fs_open_real(result->paths[i], O_PATH);
        if (at < 0 || syscall(SYS_move_mount, result->fds[i], "", at, "",
                              MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
            return -1;
        close(at);
    }
    return 0;
}

/* An overlay: paths in the box. */
typedef struct {
    char *at;          /* the lower folder, and where it is mounted */
    char *folder;      /* has upper and work */
    gboolean has_mask; /* and a layer that hides names */
    gboolean is_copy;  /* no overlay: upper is all that the box sees */
} overlay;

/* The lower folder as "." needs no quotes in the options. */
static int mount_on_lower(const overlay *self)
{
    char options[512];
    snprintf(options, sizeof options, "userxattr,lowerdir=%s%s.,upperdir=%s/upper,workdir=%s/work",
             self->has_mask ? self->folder : "", self->has_mask ? "/mask:" : "", self->folder,
             self->folder);
    if (mount("overlay", ".", "overlay", MS_NOSUID | MS_NODEV, options) == 0)
        return 0;
    /* The kernel, or the file system of the folders, cannot do it. */
    if (errno == EINVAL || errno == ENODEV || errno == EPERM)
        errno = EOPNOTSUPP;
    return -1;
}

static int mount_copy(const overlay *self)
{
    struct mount_attr attributes = {.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV};
    char upper[PATH_MAX];
    snprintf(upper, sizeof upper, "%s/upper", self->folder);
    int from = clone_mount(upper);
    int status = from < 0 ? -1
                          : (int)syscall(SYS_mount_setattr, from, "", AT_EMPTY_PATH, &attributes,
                                         sizeof attributes);
    if (status == 0)
        status = (int)syscall(SYS_move_mount, from, "", AT_FDCWD, ".", MOVE_MOUNT_F_EMPTY_PATH);
    int saved = errno;
    if (from >= 0)
        close(from);
    errno = saved;
    return status;
}

static int mount_layer(const GPtrArray *mounts, const overlay *self)
{
    covered below = {.count = 0};
    if (collect_covered(mounts, self->at, &below) < 0 || enter(self->at) < 0 ||
        (self->is_copy ? mount_copy(self) : mount_on_lower(self)) < 0 || chdir("/") < 0)
        return -1;
    return put_back(&below);
}

struct layers {
    const GPtrArray *mounts;
    GPtrArray *list;    /* of overlay, in the order in which they are mounted */
    GPtrArray *folders; /* paths of mounts that are of no use then */
};

static int mount_all(const void *data)
{
    const struct layers *self = data;
    for (guint i = 0; i < self->list->len; i++)
        if (mount_layer(self->mounts, self->list->pdata[i]) < 0)
            return -1;
    for (guint i = 0; i < self->folders->len; i++)
        if (umount2(self->folders->pdata[i], MNT_DETACH) < 0)
            return -1;
    return 0;
}

/* In the parent. */

static gboolean set_error(int problem, GError **error)
{
    const char *hint =
        problem == EOPNOTSUPP
            ? ": the kernel or the file system cannot do it (it needs Linux 5.11 and "
              "user xattrs), or a file system is mounted in the project"
        : problem == ELOOP
            ? ": a link that the box has made is in the way of a mount in one of them"
            : "";
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot mount the overlays of the box: %s%s",
                g_strerror(problem), hint);
    return FALSE;
}

static void overlay_free(gpointer data)
{
    overlay *self = data;
    g_free(self->at);
    g_free(self->folder);
    g_free(self);
}

/* Takes AT. */
static void add_overlay(struct layers *self, char *at, const char *folder, gboolean has_mask,
                        gboolean is_copy)
{
    overlay *made = g_new0(overlay, 1);
    *made = (overlay){at, g_strdup(folder), has_mask, is_copy};
    g_ptr_array_add(self->list, made);
}

/* FALSE: the branch has no copy of the project. */
static gboolean add_branch(struct layers *self, const struct box *of)
{
    for (int i = 0; i < N_PLAN_LAYERS; i++) {
        g_autofree char *path =
            g_build_filename(of->data, PLAN_DATA_LAYERS, plan_layer_names[i], "at", NULL);
        char *at = fs_read_text(path, PATH_MAX);
        g_autofree char *folder = g_build_filename(PLAN_LAYERS, plan_layer_names[i], NULL);
        if (!at && i == PLAN_LAYER_PROJECT)
            return FALSE;
        if (at)
            add_overlay(self, at, folder, TRUE, branch_copied_is(of, i));
    }
    g_ptr_array_add(self->folders, (gpointer)PLAN_LAYERS);
    return TRUE;
}

/* The path of the mount whose overlay has its changes in FOLDER, a new string; NULL: none has. */
static char *find_lower(const GPtrArray *mounts, const char *folder)
{
    for (guint i = 0; i < mounts->len; i++) {
        const mount_line *mount = mounts->pdata[i];
        g_autofree char *name = plan_overlay_name(mount->path);
        if (strcmp(folder + strlen(PLAN_ROOT "/"), name) == 0)
            return g_strdup(mount->path);
    }
    return NULL;
}

/* A folder comes before what is in it. */
static gint compare_overlays(gconstpointer a, gconstpointer b)
{
    return strcmp((*(overlay *const *)a)->at, (*(overlay *const *)b)->at);
}

static gboolean add_overlays(struct layers *self)
{
    for (guint i = 0; i < self->mounts->len; i++) {
        const char *folder = ((const mount_line *)self->mounts->pdata[i])->path;
        if (!g_str_has_prefix(folder, OVERLAYS "/"))
            continue;
        char *at = find_lower(self->mounts, folder);
        if (!at)
            return FALSE;
        add_overlay(self, at, folder, FALSE, FALSE);
        g_ptr_array_add(self->folders, (gpointer)folder);
    }
    g_ptr_array_sort(self->list, compare_overlays);
    return TRUE;
}

gboolean layers_mount(const struct box *self, pid_t pid, GError **error)
{
    g_autoptr(GPtrArray) mounts = read_mounts(pid, error);
    g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func(overlay_free);
    g_autoptr(GPtrArray) folders = g_ptr_array_new();
    struct layers layers = {mounts, list, folders};
    if (!mounts)
        return FALSE;
    gboolean known = (!self->branch || add_branch(&layers, self)) && add_overlays(&layers);
    int problem = !known ? ENOENT : list->len ? box_namespaces_run(pid, mount_all, &layers) : 0;
    if (problem == EOPNOTSUPP && self->branch)
        branch_copies_begin(self);
    return !problem || set_error(problem, error);
}

gboolean layers_have_mounts_below(const char *folder)
{
    g_autoptr(GPtrArray) mounts = read_mounts(getpid(), NULL);
    gboolean found = !mounts;
    for (guint i = 0; mounts && i < mounts->len; i++) {
        const char *path = ((const mount_line *)mounts->pdata[i])->path;
        found |= fs_is_below(path, folder) && strcmp(path, folder) != 0;
    }
    return found;
}
