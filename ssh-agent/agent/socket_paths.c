#include "ssh-agent/agent/places.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/error.h"
#include "common/fs.h"
#include "common/paths.h"

#define RECORD_MAX (256 * 1024)
#define STAT_MAX 4096

/* The first descriptor that systemd hands over. */
#define GIVEN_FD 3

#define LOCKED "locked"
/* What one that gives way has to do takes no time. */
#define GIVE_WAY_MS 5000
#define LOOK_MS 20

static char *folder;        /* of ours, absolute */
static int given = -1;      /* the control socket, when it is systemd's */
static struct stat control; /* the node of the control socket, when it is ours */

/* systemd's socket (sd_listen_fds(3)), when it has started us; -1. */
static int given_socket(void)
{
    const char *pid = g_getenv("LISTEN_PID"), *count = g_getenv("LISTEN_FDS");
    gboolean ours =
        pid && count && g_ascii_strtoll(pid, NULL, 10) == getpid() && strcmp(count, "1") == 0;
    g_unsetenv("LISTEN_PID");
    g_unsetenv("LISTEN_FDS");
    if (!ours || fcntl(GIVEN_FD, F_SETFD, FD_CLOEXEC) < 0 ||
        fcntl(GIVEN_FD, F_SETFL, O_NONBLOCK) < 0)
        return -1;
    return GIVEN_FD;
}

/* Who holds the lock FD has written down who it is. */
static pid_t holder(int fd)
{
    char digits[16] = "";
    return pread(fd, digits, sizeof digits - 1, 0) > 0 ? (pid_t)g_ascii_strtoll(digits, NULL, 10)
                                                       : 0;
}

static gboolean try_lock(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

static gboolean take_lock(int fd)
{
    gboolean mine = try_lock(fd);
    pid_t other = mine || given < 0 || errno != EWOULDBLOCK ? 0 : holder(fd);
    if (other > 0)
        kill(other, SIGTERM);
    for (int waited = 0; !mine && other > 0 && waited < GIVE_WAY_MS; waited += LOOK_MS) {
        g_usleep(LOOK_MS * 1000);
        mine = try_lock(fd);
    }
    g_autofree char *own = g_strdup_printf("%d\n", (int)getpid());
    return mine && ftruncate(fd, 0) == 0 && fs_write_all(fd, own, strlen(own));
}

gboolean places_begin(GError **error)
{
    given = given_socket();
    folder = paths_runtime(PLACES_FOLDER, error);
    if (!folder)
        return FALSE;
    g_autofree char *boxes = g_build_filename(folder, "boxes", NULL);
    g_autofree char *open_ones = g_build_filename(folder, "open", NULL);
    g_autofree char *lock = g_build_filename(folder, "lock", NULL);
    if (!fs_make_folder(boxes, 0700, error) || !fs_make_folder(open_ones, 0700, error))
        return FALSE;
    int fd = open(lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0 && take_lock(fd))
        return TRUE; /* never closed: it ends with us */
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "%s",
                errno == EWOULDBLOCK ? "another agent runs" : g_strerror(errno));
    if (fd >= 0)
        close(fd);
    return FALSE;
}

/* By way of the folder's descriptor, because a path may be longer than an address takes. */
static int listen_in(const char *where, const char *name, int backlog)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int dir = open(where, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int fd = dir < 0 ? -1 : socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    g_snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", dir, name);
    if (fd >= 0) {
        unlinkat(dir, name, 0);
        mode_t old = umask(0177);
        int bound = bind(fd, (struct sockaddr *)&address, sizeof address);
        umask(old);
        if (bound < 0 || listen(fd, backlog) < 0) {
            close(fd);
            fd = -1;
        }
    }
    if (dir >= 0)
        close(dir);
    return fd;
}

int places_listen(const char *box, int backlog)
{
    g_autofree char *where = g_build_filename(folder, "boxes", box, NULL);
    if (!fs_make_folder(where, 0700, NULL)) {
        errno = EPERM;
        return -1;
    }
    return listen_in(where, "socket", backlog);
}

static char *control_path(void)
{
    return g_build_filename(folder, "control", NULL);
}

int places_listen_control(void)
{
    if (given >= 0)
        return given;
    int fd = listen_in(folder, "control", 16);
    g_autofree char *path = control_path();
    if (fd >= 0 && lstat(path, &control) < 0)
        control.st_ino = 0;
    return fd;
}

void places_end(void)
{
    struct stat st;
    g_autofree char *path = control_path();
    if (control.st_ino && lstat(path, &st) == 0 && st.st_ino == control.st_ino &&
        st.st_dev == control.st_dev)
        unlink(path);
}

gboolean places_lock(gboolean locked)
{
    g_autofree char *path = g_build_filename(folder, LOCKED, NULL);
    int fd = locked ? open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
    if (fd >= 0)
        close(fd);
    return locked ? fd >= 0 : unlink(path) == 0 || errno == ENOENT;
}

gboolean places_are_locked(void)
{
    g_autofree char *path = g_build_filename(folder, LOCKED, NULL);
    return access(path, F_OK) == 0 || errno != ENOENT;
}

/* When PID was started, in the kernel's ticks; 0 when it does not run. The name in the second field
 * may hold anything, so it is counted from its last ")". */
static gint64 started(pid_t pid)
{
    char path[64], bytes[STAT_MAX + 1];
    g_snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    gssize length = fd < 0 ? -1 : read(fd, bytes, STAT_MAX);
    if (fd >= 0)
        close(fd);
    if (length <= 0)
        return 0;
    bytes[length] = '\0';
    const char *behind = strrchr(bytes, ')');
    g_auto(GStrv) fields = g_strsplit(behind ? behind : "", " ", 22);
    return g_strv_length(fields) > 20 ? g_ascii_strtoll(fields[20], NULL, 10) : 0;
}

static char *record_path(const char *box)
{
    return g_build_filename(folder, "open", box, NULL);
}

void places_record(const char *box, const json_t *request, pid_t pid)
{
    g_autofree char *path = record_path(box);
    json_t *copy = json_copy((json_t *)request);
    json_object_set_new(copy, "started", json_integer(started(pid)));
    char *text = json_dumps(copy, JSON_COMPACT);
    json_decref(copy);
    /* Without it, only an agent after us does not know the box until its next start. */
    if (!text ||
        !g_file_set_contents_full(path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0600, NULL))
        g_message("cannot note that box '%s' is open", box);
    free(text);
}

void places_forget(const char *box)
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
    if (then && pid > 0 && started(pid) == then)
        return request;
    json_decref(request);
    return NULL;
}

void places_each_record(void (*each)(const json_t *request, gpointer data), gpointer data)
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
            places_forget(names->pdata[i]);
        json_decref(request);
    }
}
