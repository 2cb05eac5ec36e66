#include "box/verify.h"

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

/* Of one box; a plan has some hundred mounts at most. */
#define MOUNTINFO_MAX (4 << 20)

/* Each of our mounts, and the one that it has to stand on: as a chain they leave no room for a link
 * or for something in between. */
static const struct {
    const char *at, *on; /* NULL: /run, where that is a mount, else the root */
    gboolean optional;
} chain[] = {
    {PLAN_RUN, NULL, FALSE},      {PLAN_ROOT, PLAN_RUN, FALSE}, {PLAN_INIT, PLAN_ROOT, FALSE},
    {PLAN_CTL, PLAN_ROOT, FALSE}, {PLAN_BIN, PLAN_RUN, TRUE},
};

typedef struct {
    int count; /* of mounts at this place */
    int id, parent;
} place;

/* Lines of "ID PARENT MAJOR:MINOR ROOT PLACE …". */
static place find_place(char *const *lines, const char *at)
{
    place found = {0};
    for (; *lines; lines++) {
        int id, parent, used = 0;
        gsize length = strlen(at);
        if (sscanf(*lines, "%d %d %*s %*s %n", &id, &parent, &used) != 2 || !used)
            continue;
        const char *its = *lines + used;
        if (strncmp(its, at, length) == 0 && its[length] == ' ')
            found = (place){found.count + 1, id, parent};
    }
    return found;
}

static gboolean is_in_place(char *const *lines, gsize i)
{
    place here = find_place(lines, chain[i].at);
    place below = find_place(lines, chain[i].on ? chain[i].on : "/run");
    if (!chain[i].on && below.count == 0)
        below = find_place(lines, "/");
    return (here.count == 0 && chain[i].optional) ||
           (here.count == 1 && below.count == 1 && here.parent == below.id);
}

static gboolean verify_chain(const box *self, pid_t pid, GError **error)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/mountinfo", (int)pid);
    g_autofree char *text = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    gboolean got = fd >= 0 && fs_read_fd(fd, path, MOUNTINFO_MAX, &text, NULL, NULL);
    if (fd >= 0)
        close(fd);
    g_auto(GStrv) lines = g_strsplit(got ? text : "", "\n", -1);
    for (gsize i = 0; i < G_N_ELEMENTS(chain); i++) {
        if (is_in_place(lines, i))
            continue;
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    got ? "box '%s' was not started: its image has a link or a mount in the way of "
                          "'%s', where Litterbox's own files go; use another image, or 'box apply' "
                          "when a program in the box did that"
                        : "box '%s' was not started: cannot see where '%s' is mounted in it",
                    self->name, chain[i].at);
        return FALSE;
    }
    return TRUE;
}

/* TRUE when the user, and so perhaps a box, may put something else in the place of SOURCE or of a
 * folder above it. */
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

/* TRUE for a source that some box may be able to swap: not for the system's folders, nor for ours
 * and Podman's, which no box sees. */
static gboolean is_exposed(const box *self, const box_container *now, const char *source)
{
    return !plan_is_below(source, self->data) && !plan_is_below(source, self->runtime) &&
           !strstr(source, now->id) && is_replaceable(source);
}

/* TRUE when SOURCE on the host and TARGET in the box are one and the same. */
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

static gboolean verify_sources(const box *self, const box_container *now, int host, int root,
                               GError **error)
{
    json_t *mount;
    gsize i;
    json_array_foreach (json_object_get(now->inspect, "Mounts"), i, mount) {
        const char *source = json_string_value(json_object_get(mount, "Source"));
        const char *target = json_string_value(json_object_get(mount, "Destination"));
        /* Where box-init is only root of the box can look; verify_init() tells it apart. */
        if (!source || *source != '/' || !target || strcmp(target, PLAN_INIT) == 0 ||
            !is_exposed(self, now, source) || is_same(host, root, source, target))
            continue;
        g_autofree char *safe = text_safe(source, -1);
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "box '%s' was not started: '%s' was replaced while it was being mounted, or is "
                    "reached through a link; try again, and if it stays so, look who writes there",
                    self->name, safe);
        return FALSE;
    }
    return TRUE;
}

gboolean verify_mounts(const box *self, const box_container *now, GError **error)
{
    if (!verify_chain(self, now->pid, error))
        return FALSE;
    g_autofree char *path = g_strdup_printf("/proc/%d/root", (int)now->pid);
    int host = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    int root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    gboolean verified = FALSE;
    if (host >= 0 && root >= 0)
        verified = verify_sources(self, now, host, root, error);
    else
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                    "box '%s' was not started: cannot look into it: %s", self->name,
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

gboolean verify_init(const box *self, const box_container *now, GError **error)
{
    struct stat ours, its;
    const char *source = init_source(now);
    g_autofree char *exe = g_strdup_printf("/proc/%d/exe", (int)now->pid);
    if (source && stat(source, &ours) == 0 && stat(exe, &its) == 0 && ours.st_dev == its.st_dev &&
        ours.st_ino == its.st_ino)
        return TRUE;
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                "box '%s' was ended: its PID 1 is not the box-init that is installed; if "
                "Litterbox was not updated at this moment, use another image",
                self->name);
    return FALSE;
}
