#include "guest/init/control_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/fsuid.h>
#include <unistd.h>

#include "net/unix_socket.h"
#include "proto/session.h"

#define BACKLOG 128
#define TYPE (SOCK_STREAM | SOCK_NONBLOCK)

struct file_ids {
    uid_t uid;
    gid_t gid;
};

/* The user in the file system's eyes, whom PID 1 has no power over; what it was before. */
static struct file_ids become(uid_t uid, gid_t gid)
{
    gid_t old = (gid_t)setfsgid(gid);
    return (struct file_ids){(uid_t)setfsuid(uid), old};
}

static void go_back(struct file_ids before)
{
    int saved = errno;
    setfsuid(before.uid);
    setfsgid(before.gid);
    errno = saved;
}

/*
 * Runs with the ctl folder as working folder and as the user. O_PATH needs no right to the folder
 * itself, which root of the box does not have.
 */
static int in_control_folder(const struct init_options *options, int (*act)(void))
{
    int folder = open(DOOR_CONTROL_FOLDER, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return -1;
    struct file_ids before = become(options->uid, options->gid);
    int result = fchdir(folder) < 0 ? -1 : act();
    int saved = errno;
    go_back(before);
    if (chdir("/") < 0)
        result = -1;
    close(folder);
    errno = saved;
    return result;
}

static int make_control(void)
{
    return unix_socket_listen_at(AT_FDCWD, SESSION_SOCKET, TYPE, 0600, BACKLOG);
}

static int remove_control(void)
{
    return unlink(SESSION_SOCKET);
}

int door_open_control(const struct init_options *options)
{
    return in_control_folder(options, make_control);
}

void door_close_control(const struct init_options *options)
{
    in_control_folder(options, remove_control);
}

static struct {
    char *list;
    size_t size;
} debug_file;

/* Root of the box may have put anything there, before its last end: nothing that is waited for. */
static int read_debug(void)
{
    int fd = open(SESSION_DEBUG_FILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, debug_file.list, debug_file.size - 1);
    if (fd >= 0)
        close(fd);
    debug_file.list[length > 0 ? length : 0] = '\0';
    return 0;
}

void control_read_debug(const struct init_options *options, char *list, size_t size)
{
    debug_file.list = list;
    debug_file.size = size;
    list[0] = '\0';
    in_control_folder(options, read_debug);
}

int door_open_of_user(const struct init_options *options, const char *path)
{
    struct file_ids before = become(options->uid, options->gid);
    int door = unix_socket_listen(path, TYPE, 0600, BACKLOG);
    go_back(before);
    return door;
}

int door_open_sudo(void)
{
    mode_t old = umask(0);
    int door = unix_socket_listen(DOOR_FOLDER "/" DOOR_SUDO_NAME, TYPE, 0666, BACKLOG);
    umask(old);
    return door;
}

static int refuse(int fd)
{
    close(fd);
    errno = EACCES;
    return -1;
}

int door_accept_control(int door, const struct init_options *options)
{
    struct ucred peer;
    int fd = unix_socket_accept(door, 0, &peer);
    if (fd < 0)
        return -1;
    /* A process of this box has a pid here; the host's has none, which the kernel shows as 0. */
    return peer.pid == 0 && peer.uid == options->uid ? fd : refuse(fd);
}

int door_accept_sudo(int door, const struct init_options *options, int *pid)
{
    struct ucred peer;
    int fd = unix_socket_accept(door, 0, &peer);
    if (fd < 0)
        return -1;
    *pid = (int)peer.pid;
    return peer.pid > 0 && peer.uid == options->uid ? fd : refuse(fd);
}
