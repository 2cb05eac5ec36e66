/*
 * Verifies that a prepared or started container is the planned one.
 *
 * An image, and root of the box, decide which files are in the container's root, and so where its
 * mounts go: with a symbolic link at /run, box-init would be mounted elsewhere, and the path of PID
 * 1 would lead to another program. And another box that can write above a mount's source (with a
 * project or a share there) can replace the source by a symbolic link after the probe and before
 * the OCI runtime mounts it. So both are checked once more, from outside, when all is mounted and
 * nothing of the box runs yet.
 */
#include "box/lifecycle/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/error.h"
#include "common/fs.h"
#include "common/text.h"
#include "plan/plan.h"

/* Bytes. A plan has a few hundred mounts. */
#define MOUNTINFO_MAX (4 << 20)

/* Each mount of Litterbox, and the mount that must be its parent. With all parents right, there is
 * no symbolic link and no other mount in between. */
static const struct {
    const char *at, *on; /* on NULL: /run if that is a mount, else the root */
    gboolean optional;
} expected_mounts[] = {
    {PLAN_RUN, NULL, FALSE},      {PLAN_ROOT, PLAN_RUN, FALSE}, {PLAN_INIT, PLAN_ROOT, FALSE},
    {PLAN_CTL, PLAN_ROOT, FALSE}, {PLAN_BIN, PLAN_RUN, TRUE},
};

typedef struct {
    int count;      /* of mounts at the path */
    int id, parent; /* of the last one */
} mount_ids;

/* LINES of /proc/PID/mountinfo (proc(5)): "ID PARENT MAJOR:MINOR ROOT PATH …". */
static mount_ids find_mount(char *const *lines, const char *at)
{
    mount_ids found = {0};
    for (; *lines; lines++) {
        int id, parent, used = 0;
        gsize length = strlen(at);
        if (sscanf(*lines, "%d %d %*s %*s %n", &id, &parent, &used) != 2 || !used)
            continue;
        const char *path = *lines + used;
        if (strncmp(path, at, length) == 0 && path[length] == ' ')
            found = (mount_ids){found.count + 1, id, parent};
    }
    return found;
}

static gboolean has_right_parent(char *const *lines, gsize i)
{
    mount_ids here = find_mount(lines, expected_mounts[i].at);
    mount_ids parent = find_mount(lines, expected_mounts[i].on ? expected_mounts[i].on : "/run");
    if (!expected_mounts[i].on && parent.count == 0)
        parent = find_mount(lines, "/");
    return (here.count == 0 && expected_mounts[i].optional) ||
           (here.count == 1 && parent.count == 1 && here.parent == parent.id);
}

static gboolean verify_parents(const struct box *self, pid_t pid, GError **error)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/mountinfo", (int)pid);
    g_autofree char *text = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    gboolean got = fd >= 0 && fs_read_fd(fd, path, MOUNTINFO_MAX, &text, NULL, NULL);
    if (fd >= 0)
        close(fd);
    g_auto(GStrv) lines = g_strsplit(got ? text : "", "\n", -1);
    for (gsize i = 0; i < G_N_ELEMENTS(expected_mounts); i++) {
        if (has_right_parent(lines, i))
            continue;
        g_set_error(
            error, BOX_ERROR, BOX_ERROR_FAILED,
            got ? "box '%s' was not started: its image has a symbolic link or a mount in the "
                  "way of '%s', which Litterbox needs; use another image, or run 'box "
                  "apply' if a program in the box did that"
                : "box '%s' was not started: cannot find the mount of '%s' in it",
            self->name, expected_mounts[i].at);
        return FALSE;
    }
    return TRUE;
}

/* TRUE when the user, and so perhaps a box, can replace SOURCE or a folder above it. */
static gboolean is_replaceable(const char *source)
{
    g_autofree char *folder = g_path_get_dirname(source);
    while (access(folder, W_OK) < 0) {
        if (strcmp(folder, "/") == 0)
            return FALSE;
        char *above = g_path_get_dirname(folder);
        g_free(folder);
        folder = above;
    }
    return TRUE;
}

/* TRUE when a box may be able to replace SOURCE. No box can replace folders of the system, or see
 * those of Litterbox and Podman. */
static gboolean is_exposed(const struct box *self, const box_container *now, const char *source)
{
    return !plan_is_below(source, self->data) && !plan_is_below(source, self->runtime) &&
           !strstr(source, now->id) && is_replaceable(source);
}

/* TRUE when SOURCE on the host and TARGET in the box are the same file. */
static gboolean is_same(int host, int root, const char *source, const char *target)
{
    struct stat outside, inside;
    int from = fs_open_beneath(host, source + 1, O_PATH, 0);
    int to = fs_open_in_root(root, target, O_PATH);
    gboolean same = from >= 0 && to >= 0 && fstat(from, &outside) == 0 && fstat(to, &inside) == 0 &&
                    outside.st_dev == inside.st_dev && outside.st_ino == inside.st_ino;
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
    return same;
}

static gboolean verify_sources(const struct box *self, const box_container *now, int host, int root,
                               GError **error)
{
    json_t *mount;
    gsize i;
    json_array_foreach (json_object_get(now->inspect, "Mounts"), i, mount) {
        const char *source = json_string_value(json_object_get(mount, "Source"));
        const char *target = json_string_value(json_object_get(mount, "Destination"));
        /* Only root of the box can open box-init's folder; launch_verify_init() checks that. */
        if (!source || *source != '/' || !target || strcmp(target, PLAN_INIT) == 0 ||
            !is_exposed(self, now, source) || is_same(host, root, source, target))
            continue;
        g_autofree char *safe = text_safe(source, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "box '%s' was not started: '%s' was replaced while it was mounted, or is "
                    "reached through a symbolic link; try again, and if this persists, find the "
                    "program that writes there",
                    self->name, safe);
        return FALSE;
    }
    return TRUE;
}

gboolean launch_verify_mounts(const struct box *self, const box_container *now, GError **error)
{
    if (!verify_parents(self, now->pid, error))
        return FALSE;
    g_autofree char *path = g_strdup_printf("/proc/%d/root", (int)now->pid);
    int host = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    int root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    gboolean verified = FALSE;
    if (host >= 0 && root >= 0)
        verified = verify_sources(self, now, host, root, error);
    else
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "box '%s' was not started: cannot open its root folder: %s", self->name,
                    g_strerror(errno));
    if (host >= 0)
        close(host);
    if (root >= 0)
        close(root);
    return verified;
}

static const char *init_source(const box_container *now)
{
    json_t *mount;
    gsize i;
    json_array_foreach (json_object_get(now->inspect, "Mounts"), i, mount) {
        if (g_strcmp0(json_string_value(json_object_get(mount, "Destination")), PLAN_INIT) == 0)
            return json_string_value(json_object_get(mount, "Source"));
    }
    return NULL;
}

gboolean launch_verify_init(const struct box *self, const box_container *now, GError **error)
{
    struct stat installed, running;
    const char *source = init_source(now);
    g_autofree char *exe = g_strdup_printf("/proc/%d/exe", (int)now->pid);
    if (source && stat(source, &installed) == 0 && stat(exe, &running) == 0 &&
        installed.st_dev == running.st_dev && installed.st_ino == running.st_ino)
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                "box '%s' was stopped: its PID 1 is not the installed box-init; unless Litterbox "
                "was updated at this moment, use another image",
                self->name);
    return FALSE;
}
