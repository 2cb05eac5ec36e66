#include "ssh-agent/agent/socket_paths.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/error.h"
#include "common/fs.h"
#include "common/paths.h"
#include "host/supervisor/helper_lock.h"
#include "net/unix_socket.h"
#include "sys/proc_stat.h"

/* In bytes. A record is a request of the control socket. */
#define RECORD_MAX (256 * 1024)

/* SD_LISTEN_FDS_START of sd_listen_fds(3). */
#define SYSTEMD_FD 3

#define LOCKED "locked"
/* How long to wait for the lock of an agent that was told to end. Its supervisor kills one that
 * hangs.
 */
#define GIVE_WAY_MS 5000
#define POLL_INTERVAL_MS 20

static char *folder;        /* absolute path */
static int systemd_fd = -1; /* the control socket, when systemd has made it */
static struct stat control; /* its file, when the agent has made it */

/* The socket that systemd has started the agent with (sd_listen_fds(3)); -1: none. */
static int find_systemd_socket(void)
{
    const char *pid = g_getenv("LISTEN_PID"), *count = g_getenv("LISTEN_FDS");
    gboolean ours =
        pid && count && g_ascii_strtoll(pid, NULL, 10) == getpid() && strcmp(count, "1") == 0;
    g_unsetenv("LISTEN_PID");
    g_unsetenv("LISTEN_FDS");
    if (!ours || fcntl(SYSTEMD_FD, F_SETFD, FD_CLOEXEC) < 0 ||
        fcntl(SYSTEMD_FD, F_SETFL, O_NONBLOCK) < 0)
        return -1;
    return SYSTEMD_FD;
}

gboolean socket_paths_open(GError **error)
{
    systemd_fd = find_systemd_socket();
    folder = paths_runtime(AGENT_FOLDER, error);
    if (!folder)
        return FALSE;
    g_autofree char *boxes = g_build_filename(folder, AGENT_BOXES, NULL);
    g_autofree char *open_ones = g_build_filename(folder, "open", NULL);
    return fs_make_folder(boxes, 0700, error) && fs_make_folder(open_ones, 0700, error);
}

/* Ends the agent that holds the lock, if `box` has started it, through its supervisor. */
static void end_holder(void)
{
    struct helper_holder holder;
    helper_lock_read(folder, AGENT_HELPER, &holder);
    if (holder.state != HELPER_ABSENT && holder.supervisor > 0)
        kill(holder.supervisor, SIGTERM);
}

gboolean socket_paths_take_lock(GError **error)
{
    int dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int lock = helper_lock_take(dir, AGENT_HELPER, "");
    if (lock < 0 && errno == EAGAIN && systemd_fd >= 0) {
        end_holder();
        for (int waited = 0; lock < 0 && waited < GIVE_WAY_MS; waited += POLL_INTERVAL_MS) {
            g_usleep(POLL_INTERVAL_MS * 1000);
            lock = helper_lock_take(dir, AGENT_HELPER, "");
        }
    }
    int failed = errno;
    close(dir);
    if (lock >= 0 && helper_lock_set(lock, HELPER_SERVING) == 0)
        return TRUE; /* never closed: the lock ends with the process */
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "%s",
                failed == EAGAIN ? "another agent runs" : g_strerror(failed));
    return FALSE;
}

/* Binds through the folder's descriptor, so that a box that shares the host's network cannot read
 * the names of other boxes in /proc/net/unix. */
static int listen_in(const char *where, const char *name, int backlog)
{
    int dir = open(where, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int fd =
        dir < 0 ? -1 : unix_socket_listen_at(dir, name, SOCK_STREAM | SOCK_NONBLOCK, 0600, backlog);
    if (dir >= 0)
        close(dir);
    return fd;
}

int socket_paths_listen_box(const char *box, int backlog)
{
    g_autofree char *where = g_build_filename(folder, AGENT_BOXES, box, NULL);
    if (!fs_make_folder(where, 0700, NULL)) {
        errno = EPERM;
        return -1;
    }
    return listen_in(where, "socket", backlog);
}

static char *control_path(void)
{
    return g_build_filename(folder, AGENT_CONTROL, NULL);
}

int socket_paths_listen_control(void)
{
    if (systemd_fd >= 0)
        return systemd_fd;
    int fd = listen_in(folder, "control", 16);
    g_autofree char *path = control_path();
    if (fd >= 0 && lstat(path, &control) < 0)
        control.st_ino = 0;
    return fd;
}

void socket_paths_close(void)
{
    struct stat st;
    g_autofree char *path = control_path();
    if (control.st_ino && lstat(path, &st) == 0 && st.st_ino == control.st_ino &&
        st.st_dev == control.st_dev)
        unlink(path);
}

gboolean socket_paths_set_locked(gboolean locked)
{
    g_autofree char *path = g_build_filename(folder, LOCKED, NULL);
    int fd = locked ? open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
    if (fd >= 0)
        close(fd);
    return locked ? fd >= 0 : unlink(path) == 0 || errno == ENOENT;
}

gboolean socket_paths_are_locked(void)
{
    g_autofree char *path = g_build_filename(folder, LOCKED, NULL);
    return access(path, F_OK) == 0 || errno != ENOENT;
}

/* When PID was started, in clock ticks; 0: it does not run. */
static gint64 start_time(pid_t pid)
{
    struct proc_stat stat;
    return proc_stat_read(&stat, pid) < 0 ? 0 : (gint64)stat.start;
}

static char *record_path(const char *box)
{
    return g_build_filename(folder, "open", box, NULL);
}

void socket_paths_save_box(const char *box, const json_t *request, pid_t pid)
{
    g_autofree char *path = record_path(box);
    json_t *copy = json_copy((json_t *)request);
    json_object_set_new(copy, "started", json_integer(start_time(pid)));
    char *text = json_dumps(copy, JSON_COMPACT);
    json_decref(copy);
    /* Without a record, the next agent does not serve the box until its next start. */
    if (!text ||
        !g_file_set_contents_full(path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0600, NULL))
        g_message("cannot write the record of box '%s'", box);
    free(text);
}

void socket_paths_forget_box(const char *box)
{
    g_autofree char *path = record_path(box);
    unlink(path);
}

static json_t *read_record(const char *box)
{
    g_autofree char *path = record_path(box), *text = NULL;
    if (!fs_read(AT_FDCWD, path, RECORD_MAX, &text, NULL, NULL))
        return NULL;
    json_t *request = json_loads(text, 0, NULL);
    gint64 then = json_integer_value(json_object_get(request, "started"));
    pid_t pid = (pid_t)json_integer_value(json_object_get(request, "pid"));
    if (then && pid > 0 && start_time(pid) == then)
        return request;
    json_decref(request);
    return NULL;
}

void socket_paths_each_box(void (*each)(const json_t *request, gpointer data), gpointer data)
{
    g_autofree char *path = g_build_filename(folder, "open", NULL);
    g_autoptr(GDir) listing = g_dir_open(path, 0, NULL);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (const char *name; listing && (name = g_dir_read_name(listing));)
        g_ptr_array_add(names, g_strdup(name));
    for (guint i = 0; i < names->len; i++) {
        json_t *request = read_record(names->pdata[i]);
        if (request)
            each(request, data);
        else
            socket_paths_forget_box(names->pdata[i]);
        json_decref(request);
    }
}
