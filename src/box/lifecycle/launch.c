#include "box/lifecycle/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/helpers/gate.h"
#include "box/lifecycle/trust_store.h"
#include "box/registry/tools.h"
#include "common/error.h"
#include "common/fs.h"
#include "common/text.h"
#include "net/unix_socket.h"
#include "plan/plan.h"
#include "podman/podman.h"

/*
 * Verifies that a prepared or started container is the planned one.
 *
 * An image, and root of the box, decide which files are in the container's root, and so where its
 * mounts go: with a symbolic link at /run, box-init would be mounted elsewhere, and the path of PID
 * 1 would lead to another program. And another box that can write above a mount's source (with a
 * project or a share there), or another user who owns a folder there, can replace the source by a
 * symbolic link after the probe and before the OCI runtime mounts it. So both are checked once
 * more, from outside, when all is mounted and nothing of the box runs yet.
 */

/* Each mount of Litterbox, and the mount that must be its parent. With all parents right, there is
 * no symbolic link and no other mount in between. */
static const struct {
    const char *at, *on; /* on NULL: /run if that is a mount, else the root */
    gboolean optional;
} expected_mounts[] = {
    {PLAN_RUN, NULL, FALSE},      {PLAN_ROOT, PLAN_RUN, FALSE},   {PLAN_INIT, PLAN_ROOT, FALSE},
    {PLAN_CTL, PLAN_ROOT, FALSE}, {PLAN_LAYERS, PLAN_ROOT, TRUE}, {PLAN_BIN, PLAN_RUN, TRUE},
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
    g_autofree char *text = fs_read_text(path, MOUNTINFO_MAX);
    g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
    for (gsize i = 0; i < G_N_ELEMENTS(expected_mounts); i++) {
        if (has_right_parent(lines, i))
            continue;
        g_set_error(
            error, BOX_ERROR, BOX_ERROR_FAILED,
            text ? "box '%s' was not started: its image has a symbolic link or a mount at '%s', "
                   "which Litterbox needs; use another image, or run 'box apply' if a program in "
                   "the box made it"
                 : "box '%s' was not started: cannot find the mount of '%s' in it",
            self->name, expected_mounts[i].at);
        return FALSE;
    }
    return TRUE;
}

/* TRUE when the user, and so perhaps a box, or another user but root can make names in FOLDER. */
static gboolean is_writable(const char *folder)
{
    struct stat st;
    return access(folder, W_OK) == 0 || stat(folder, &st) < 0 || fs_is_foreign(&st) ||
           (st.st_mode & (S_IWGRP | S_IWOTH));
}

/* TRUE when somebody but root can replace SOURCE or a folder above it. */
static gboolean is_replaceable(const char *source)
{
    g_autofree char *folder = g_path_get_dirname(source);
    while (!is_writable(folder)) {
        if (strcmp(folder, "/") == 0)
            return FALSE;
        char *above = g_path_get_dirname(folder);
        g_free(folder);
        folder = above;
    }
    return TRUE;
}

static gboolean is_for_tools(const struct box *self, const char *source)
{
    g_autofree char *shared = tools_folder();
    const box_installation *installs = self->installation;
    return strcmp(source, installs ? installs->folder : shared) == 0;
}

/* TRUE when a box or another user may be able to replace SOURCE. None can replace folders of the
 * system, or see those of Litterbox and Podman. */
static gboolean is_exposed(const struct box *self, const box_container *now, const char *source)
{
    return !fs_is_below(source, self->data) && strcmp(source, self->home) != 0 &&
           !fs_is_below(source, self->runtime) && !is_for_tools(self, source) &&
           !strstr(source, now->id) && is_replaceable(source);
}

static gboolean look(int fd, struct statx *st)
{
    int status = statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_MNT_ID, st);
    if (fd >= 0)
        close(fd);
    return status == 0;
}

/* TRUE when SOURCE on the host is mounted at TARGET in the box. Below the project's mount both are
 * the same file wherever a link has led that mount. MOUNTS: those found before; where each target
 * has one of its own, none is left for another place. */
static gboolean is_mounted(int host, int root, const char *source, const char *target,
                           GHashTable *mounts)
{
    struct statx outside, inside;
    return look(fs_open_beneath(host, source + 1, O_PATH, 0), &outside) &&
           look(fs_open_in_root(root, target, O_PATH), &inside) &&
           outside.stx_dev_major == inside.stx_dev_major &&
           outside.stx_dev_minor == inside.stx_dev_minor && outside.stx_ino == inside.stx_ino &&
           inside.stx_attributes & STATX_ATTR_MOUNT_ROOT &&
           g_hash_table_add(mounts, GSIZE_TO_POINTER((gsize)inside.stx_mnt_id));
}

static gboolean verify_sources(const struct box *self, const box_container *now, int host, int root,
                               GError **error)
{
    g_autoptr(GHashTable) mounts = g_hash_table_new(NULL, NULL);
    json_t *mount;
    gsize i;
    json_array_foreach (json_object_get(now->inspect, "Mounts"), i, mount) {
        const char *source = json_string_value(json_object_get(mount, "Source"));
        const char *target = json_string_value(json_object_get(mount, "Destination"));
        /* Only root of the box can open box-init's folder; verify_init() checks that. */
        if (!source || *source != '/' || !target || strcmp(target, PLAN_INIT) == 0 ||
            !is_exposed(self, now, source) || is_mounted(host, root, source, target, mounts))
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

/*
 * NOW is prepared ("init") and not started. FALSE with ERROR unless box-init and the
 * folder of the control socket are mounted where box-init will be started, and the sources of the
 * other mounts are the planned ones.
 */
static gboolean verify_mounts(const struct box *self, const box_container *now, GError **error)
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

/* What NOW has mounted at TARGET, or NULL. */
static const char *source_at(const box_container *now, const char *target)
{
    json_t *mount;
    gsize i;
    json_array_foreach (json_object_get(now->inspect, "Mounts"), i, mount) {
        if (g_strcmp0(json_string_value(json_object_get(mount, "Destination")), target) == 0)
            return json_string_value(json_object_get(mount, "Source"));
    }
    return NULL;
}

/* NOW has been started, and was inspected before. FALSE with ERROR unless its PID 1 is box-init. */
static gboolean verify_init(const struct box *self, const box_container *now, GError **error)
{
    struct stat installed, running;
    const char *source = source_at(now, PLAN_INIT);
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

/* Podman's cleanup of the last run takes well below a second. */
#define TRIES 20
#define RETRY_INTERVAL_MS 50

/* The output of box-init or the OCI runtime, for the error. */
static void collect_log(int stream, const char *data, gsize length, gpointer user_data)
{
    (void)stream;
    g_string_append_len(user_data, data, (gssize)length);
}

/* TRUE when box-init did not say why. */
static gboolean set_ended_error(const struct box *self, podman_client *server, GError **error)
{
    GString *log = g_string_new(NULL);
    podman_container_logs(server, self->container, 0, 5, collect_log, log, NULL);
    gboolean is_silent = !strstr(log->str, "box-init: ");
    g_autofree char *safe = text_safe(log->str, (gssize)log->len);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the box ended right after its start%s%s",
                *safe ? ": " : "", safe);
    g_string_free(log, TRUE);
    return is_silent;
}

/* Waits until box-init listens. -1 with ERROR when the container ends or the time is up;
 * *ENDED_SILENTLY: it has ended, and nothing says why. */
static int await_init(const struct box *self, podman_client *server, gboolean *ended_silently,
                      GError **error)
{
    for (int waited = 0, pause = 1; waited < BOX_LISTEN_TIMEOUT_MS; waited += pause) {
        int fd = box_connect(self);
        if (fd >= 0)
            return fd;
        g_usleep((gulong)pause * 1000);
        if (waited < 250)
            continue;
        pause = 100;
        g_autoptr(box_container) now = box_container_inspect(self, server, error);
        if (!now)
            return -1;
        if (now->state != BOX_RUNNING) {
            *ended_silently = set_ended_error(self, server, error);
            return -1;
        }
    }
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED,
                "the box is running but does not answer: try 'box restart', and see 'box logs'");
    return -1;
}

/* A container that an earlier Litterbox has made may lack the shared programs. */
static void note_tools(const struct box *self, const box_container *now)
{
    const char *image = json_string_value(json_object_get(now->inspect, "Image"));
    tools_note_kind(self, image, source_at(now, PLAN_TOOLS) != NULL);
}

/* One attempt to start the container. */
typedef struct {
    box_container *verified; /* NULL: it did not get that far */
    gboolean started;
    gboolean ended_silently;
    int fd; /* to box-init, or -1 */
} launch_attempt;

static void launch_attempt_clear(launch_attempt *self)
{
    g_clear_pointer(&self->verified, box_container_free);
    if (self->fd >= 0)
        close(self->fd);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(launch_attempt, launch_attempt_clear)

/* Prepares the container, verifies its mounts and sets up its network before any code of the box
 * runs, and starts it. */
static void try_launch(const struct box *self, podman_client *server, launch_attempt *attempt,
                       GError **error)
{
    if (!podman_container_init(server, self->container, error))
        return;
    attempt->verified = box_container_inspect(self, server, error);
    if (!attempt->verified || !verify_mounts(self, attempt->verified, error) ||
        !layers_mount(self, attempt->verified->pid, error) ||
        !gate_open(self, attempt->verified->id, attempt->verified->pid, error))
        return;
    note_tools(self, attempt->verified);
    trust_store_update(self, attempt->verified->pid);
    attempt->started = podman_container_start(server, self->container, error);
    if (attempt->started)
        attempt->fd = await_init(self, server, &attempt->ended_silently, error);
}

/* TRUE when PID 1 of the verified container has answered. */
static gboolean has_answered(const launch_attempt *attempt)
{
    return attempt->fd >= 0 && unix_socket_peer_pid(attempt->fd) == attempt->verified->pid;
}

/* TRUE when the verified container has gone meanwhile, perhaps after it answered, and another one
 * may have been started. box-init itself does not end without a word. */
static gboolean was_removed(const launch_attempt *attempt)
{
    if (!attempt->verified)
        return FALSE;
    if (attempt->fd >= 0 && !has_answered(attempt))
        return TRUE;
    return (attempt->fd >= 0 || !attempt->started || attempt->ended_silently) &&
           !box_container_is_alive(attempt->verified);
}

/*
 * Podman cleans up some time after a run has ended, in a separate process. With the remains of that
 * run it may remove the container that has been prepared for the next one. Then it is prepared
 * again.
 */
int box_launch(const struct box *self, podman_client *server, GError **error)
{
    for (int left = TRIES;; left--) {
        g_auto(launch_attempt) attempt = {.fd = -1};
        g_autoptr(GError) problem = NULL;
        try_launch(self, server, &attempt, &problem);
        if (has_answered(&attempt) && verify_init(self, attempt.verified, &problem)) {
            int fd = attempt.fd;
            attempt.fd = -1;
            return fd;
        }
        /* Only now: one that was killed before verify_init() looked has no program to compare. */
        gboolean removed = was_removed(&attempt);
        /* Stops what was refused. What ended by itself or was removed is gone already. */
        if (attempt.verified && (attempt.fd >= 0 || (!attempt.started && !removed)))
            podman_container_stop(server, self->container, 0, NULL);
        if (!removed || left == 0) {
            if (!problem)
                g_set_error(&problem, BOX_ERROR, BOX_ERROR_FAILED,
                            "podman is still removing an old container of box '%s'; try again",
                            self->name);
            g_propagate_error(error, g_steal_pointer(&problem));
            return -1;
        }
        /* Longer each time: the end of what was removed is cleaned up as well, and on a busy
         * machine that would remove the next one, and so on. */
        g_usleep((gulong)(TRIES - left + 1) * RETRY_INTERVAL_MS * 1000);
    }
}
