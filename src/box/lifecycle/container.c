#include "box/lifecycle/container.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/registry/box.h"
#include "box/registry/branch.h"
#include "box/session/left_programs.h"
#include "common/fs.h"
#include "common/paths.h"
#include "common/text.h"
#include "console/log.h"
#include "net/unix_socket.h"
#include "plan/plan.h"
#include "podman/podman.h"
#include "session/client_connect.h"
#include "sys/proc_stat.h"

/* How long a session that has just ended may still count: until PID 1 has seen to it. */
#define SESSION_ENDS_MS 300
#define SESSION_LOOK_MS 20

static const char *const state_names[] = {"missing", "stopped", "running", "paused", "broken"};
G_STATIC_ASSERT(G_N_ELEMENTS(state_names) == BOX_BROKEN + 1);

const char *box_state_name(box_state state)
{
    return state_names[state];
}

box_state box_state_parse(const char *status)
{
    static const struct {
        const char *status;
        box_state state;
    } table[] = {
        {"running", BOX_RUNNING}, {"exited", BOX_STOPPED},     {"stopped", BOX_STOPPED},
        {"created", BOX_STOPPED}, {"configured", BOX_STOPPED}, {"paused", BOX_PAUSED},
        /* Others are broken; "initialized" means that a start was killed. */
    };
    for (gsize i = 0; i < G_N_ELEMENTS(table); i++) {
        if (g_strcmp0(status, table[i].status) == 0)
            return table[i].state;
    }
    return BOX_BROKEN;
}

void box_container_free(box_container *self)
{
    g_free(self->id);
    g_free(self->plan);
    g_free(self->image);
    g_free(self->base_image);
    g_free(self->started);
    g_clear_pointer(&self->inspect, json_decref);
    g_free(self);
}

gboolean box_container_is_alive(const box_container *self)
{
    return proc_stat_is_alive(self->pid);
}

static gboolean has_label(const json_t *inspect, const char *key, const char *value)
{
    json_t *labels = json_object_get(json_object_get(inspect, "Config"), "Labels");
    return g_strcmp0(json_string_value(json_object_get(labels, key)), value) == 0;
}

char *container_base_image(const json_t *inspect)
{
    json_t *labels = json_object_get(json_object_get(inspect, "Config"), "Labels");
    const char *base = json_string_value(json_object_get(labels, PLAN_LABEL_BASE));
    return g_strdup(base && *base ? base : json_string_value(json_object_get(inspect, "Image")));
}

static gboolean has_never_started(const box_container *self)
{
    return self->started && g_str_has_prefix(self->started, "0001-01-01T"); /* Go's zero time */
}

static gboolean has_files_of(json_t *inspect, const char *image)
{
    return g_strcmp0(json_string_value(json_object_get(inspect, "Image")), image) == 0;
}

static box_container *read_inspect(json_t *inspect)
{
    json_t *state = json_object_get(inspect, "State");
    json_t *labels = json_object_get(json_object_get(inspect, "Config"), "Labels");
    box_container *result = g_new0(box_container, 1);
    result->id = g_strdup(json_string_value(json_object_get(inspect, "Id")));
    const char *status = json_string_value(json_object_get(state, "Status"));
    result->state = box_state_parse(status);
    result->begun = g_strcmp0(status, "initialized") != 0;
    result->plan = g_strdup(json_string_value(json_object_get(labels, PLAN_LABEL_PLAN)));
    result->image = g_strdup(json_string_value(json_object_get(inspect, "ImageName")));
    result->base_image = container_base_image(inspect);
    result->started = g_strdup(json_string_value(json_object_get(state, "StartedAt")));
    result->is_new = has_never_started(result) && has_files_of(inspect, result->base_image);
    result->exit_code = (int)json_integer_value(json_object_get(state, "ExitCode"));
    result->pid = (pid_t)json_integer_value(json_object_get(state, "Pid"));
    result->inspect = json_incref(inspect);
    return result;
}

/*
 * When Podman was killed while it removed the container, it may have a record of it without its
 * storage. Then each inspect fails, but the list contains it, and it can be removed.
 */
static box_container *find_without_storage(const struct box *self, podman_client *server,
                                           const GError *problem)
{
    g_autofree char *label = g_strconcat(PLAN_LABEL_BOX "=", self->name, NULL);
    g_autoptr(json_t) list = NULL;
    json_t *row;
    size_t i;
    if (strstr(problem->message, "layer"))
        list = podman_container_list(server, label, NULL);
    json_array_foreach (list, i, row) {
        json_t *name = json_array_get(json_object_get(row, "Names"), 0);
        if (g_strcmp0(json_string_value(name), self->container) != 0)
            continue;
        box_container *found = g_new0(box_container, 1);
        found->state = BOX_BROKEN;
        return found;
    }
    return NULL;
}

gboolean container_name_is(const char *name, const char *wanted)
{
    g_autofree char *former = paths_former_container(wanted, paths_instance());
    return name && (strcmp(name, wanted) == 0 || g_strcmp0(name, former) == 0);
}

/* A container that has the name of Litterbox 0.3 gets its own. NULL with ERROR;
 * BOX_ERROR_NOT_FOUND when there is none either. */
static json_t *take_former(const struct box *self, podman_client *server, GError **error)
{
    g_autofree char *former = paths_former_container(self->container, paths_instance());
    g_autoptr(json_t) found = former ? podman_container_inspect(server, former, NULL) : NULL;
    g_autoptr(GError) problem = NULL;
    if (found && has_label(found, PLAN_LABEL_BOX, self->name) &&
        has_label(found, PLAN_LABEL_INSTANCE, paths_instance()))
        podman_container_rename(server, former, self->container, &problem);
    /* Another command may have been faster. */
    json_t *own = podman_container_inspect(server, self->container, problem ? NULL : error);
    if (!own && problem)
        g_propagate_error(error, g_steal_pointer(&problem));
    return own;
}

static json_t *inspect_own(const struct box *self, podman_client *server, GError **error)
{
    g_autoptr(GError) problem = NULL;
    json_t *found = podman_container_inspect(server, self->container, &problem);
    if (g_error_matches(problem, BOX_ERROR, BOX_ERROR_NOT_FOUND) && *paths_instance())
        return take_former(self, server, error);
    if (problem)
        g_propagate_error(error, g_steal_pointer(&problem));
    return found;
}

box_container *box_container_inspect(const struct box *self, podman_client *server, GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(json_t) inspect = inspect_own(self, server, &problem);
    if (g_error_matches(problem, BOX_ERROR, BOX_ERROR_NOT_FOUND)) {
        box_container *missing = g_new0(box_container, 1);
        missing->state = BOX_MISSING;
        return missing;
    }
    if (problem) {
        box_container *broken = find_without_storage(self, server, problem);
        if (!broken)
            g_propagate_error(error, g_steal_pointer(&problem));
        return broken;
    }
    if (!has_label(inspect, PLAN_LABEL_BOX, self->name)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_CONFLICT,
                    "container '%s' was not created by Litterbox: rename or remove it",
                    self->container);
        return NULL;
    }
    return read_inspect(inspect);
}

static void log_waiting(const char *path)
{
    (void)path;
    log_note("waiting for another 'box' command on this box …");
}

int box_lock(const struct box *self, GError **error)
{
    g_autofree char *lock = g_build_filename(self->runtime, "lock", NULL);
    if (!fs_make_folder(self->runtime, 0700, error))
        return -1;
    return fs_lock(lock, log_waiting, error);
}

/* FALSE with ERROR: SELF is not what it was when it was looked up. */
static gboolean check_registered(const struct box *self, GError **error)
{
    g_autoptr(GError) problem = NULL;
    if (self->installation ||
        (!self->branch && strcmp(self->name, self->base) != 0)) /* such a box is not registered */
        return TRUE;
    /* The name of a branch is that of another box's, too, when both have got new ones. */
    if (registry_check_same(self, &problem) && (!self->branch || branch_exists(self)))
        return TRUE;
    if (self->branch && (!problem || g_error_matches(problem, BOX_ERROR, BOX_ERROR_NOT_FOUND)))
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                    "branch '%s' has just been dropped or renamed: run the command again",
                    self->branch);
    else
        g_propagate_error(error, g_steal_pointer(&problem));
    return FALSE;
}

int box_lock_registered(const struct box *self, GError **error)
{
    g_autoptr(GError) problem = NULL;
    int lock = box_lock(self, &problem);
    /* The folder of its lock goes with a box, also while somebody waits for that. */
    if (check_registered(self, error)) {
        if (problem)
            g_propagate_error(error, g_steal_pointer(&problem));
        return lock;
    }
    if (lock >= 0)
        close(lock);
    return -1;
}

guint box_count_sessions(const struct box *self)
{
    struct session_info info;
    for (int waited = 0; box_query_sessions(self, &info) && info.sessions > 0;
         waited += SESSION_LOOK_MS) {
        if (waited >= SESSION_ENDS_MS)
            return info.sessions;
        g_usleep(SESSION_LOOK_MS * 1000);
    }
    return 0;
}

char *box_describe_left(const struct box *self)
{
    struct session_info info;
    return box_query_sessions(self, &info) ? left_programs_text(&info.left) : NULL;
}

char *box_describe_sessions(const struct box *self)
{
    guint count = box_count_sessions(self);
    g_autofree char *left = box_describe_left(self);
    if (count == 0)
        return left ? g_strdup_printf("%s in box '%s' will end", left, self->name) : NULL;
    return g_strdup_printf("%u session%s open in box '%s' and will end%s%s", count,
                           count == 1 ? " is" : "s are", self->name, left ? ", with " : "",
                           left ? left : "");
}

/* Podman does not start a container whose mount sources are missing. */
static gboolean has_mount_sources(const box_container *now)
{
    json_t *mount;
    gsize i;
    struct stat st;
    json_array_foreach (json_object_get(now->inspect, "Mounts"), i, mount) {
        const char *source = json_string_value(json_object_get(mount, "Source"));
        /* Podman creates overlays at each start, in the container's folder. */
        if (!source || (!(now->id && strstr(source, now->id)) && lstat(source, &st) < 0))
            return FALSE;
    }
    return TRUE;
}

gboolean container_may_be_kept(const box_container *now, const json_t *request)
{
    json_t *config = json_object_get(now->inspect, "Config");
    json_t *labels = json_object_get(config, "Labels"),
           *wanted = json_object_get(request, "labels");
    const char *old = json_string_value(json_object_get(labels, PLAN_LABEL_ACCESS));
    return old && *old &&
           g_strcmp0(old, json_string_value(json_object_get(wanted, PLAN_LABEL_ACCESS))) == 0 &&
           plan_reserves_all(json_object_get(config, "Cmd"), json_object_get(request, "command")) &&
           has_mount_sources(now);
}

/* A child has one thread (fork(2)), as setns(2) asks for. */
static int enter_and_work(int pidfd, int (*work)(const void *data), const void *data)
{
    if (setns(pidfd, CLONE_NEWUSER | CLONE_NEWNS) < 0)
        return -1;
    return work(data);
}

/* The child sets errno whenever it fails. */
int box_namespaces_run(pid_t pid, int (*work)(const void *data), const void *data)
{
    int status, pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    pid_t child = pidfd < 0 ? -1 : fork();
    if (child == 0)
        _exit(enter_and_work(pidfd, work, data) == 0 ? 0 : errno & 0xff);
    int problem = errno;
    if (pidfd >= 0)
        close(pidfd);
    if (child < 0)
        return problem;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return errno;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

/* Bytes of a command line; those of crun and runc are far shorter. */
#define COMMAND_MAX 8192
/* Length of Podman's container IDs. A shorter text could occur in other command lines. */
#define ID_LENGTH 64

/* TRUE when the command line of PID is "RUNTIME … create … PATH-WITH-ID …". */
static gboolean is_creation(const char *pid, const char *id)
{
    char command[COMMAND_MAX];
    g_autofree char *path = g_build_filename("/proc", pid, "cmdline", NULL);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, command, sizeof command - 1);
    if (fd >= 0)
        close(fd);
    if (length <= 0)
        return FALSE;
    command[length] = '\0';
    gboolean creates = FALSE, names = FALSE;
    for (const char *word = command; word < command + length; word += strlen(word) + 1) {
        creates |= strcmp(word, "create") == 0;
        names |= strstr(word, id) != NULL;
    }
    return creates && names;
}

void runtime_orphans_kill(const char *id)
{
    g_autoptr(GDir) proc = strlen(id) == ID_LENGTH ? g_dir_open("/proc", 0, NULL) : NULL;
    for (const char *name; proc && (name = g_dir_read_name(proc));) {
        int pid = g_ascii_isdigit(*name) ? atoi(name) : 0;
        /* Opened before the check, so that the signal cannot reach a process that reuses the PID.
         */
        int pidfd = pid > 1 ? pidfd_open(pid, 0) : -1;
        if (pidfd < 0)
            continue;
        if (is_creation(name, id))
            pidfd_send_signal(pidfd, SIGKILL, NULL, 0);
        close(pidfd);
    }
}
