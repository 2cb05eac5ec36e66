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

/* Makes the user's IDs those of file access: PID 1 may not write into folders of the user. Returns
 * the IDs before. */
static struct file_ids use_ids(uid_t uid, gid_t gid)
{
    gid_t old = (gid_t)setfsgid(gid);
    return (struct file_ids){(uid_t)setfsuid(uid), old};
}

static void restore_ids(struct file_ids before)
{
    int saved = errno;
    setfsuid(before.uid);
    setfsgid(before.gid);
    errno = saved;
}

/*
 * Calls ACT with the control socket's folder as the working directory, and with the user's IDs.
 * Root of the box has no rights to that folder, and O_PATH needs none.
 */
static int run_in_control_folder(const struct init_options *options, int (*act)(void))
{
    int folder = open(CONTROL_SOCKET_FOLDER, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return -1;
    struct file_ids before = use_ids(options->uid, options->gid);
    int result = fchdir(folder) < 0 ? -1 : act();
    int saved = errno;
    restore_ids(before);
    if (chdir("/") < 0)
        result = -1;
    close(folder);
    errno = saved;
    return result;
}

static int listen_control(void)
{
    return unix_socket_listen_at(AT_FDCWD, SESSION_SOCKET, TYPE, 0600, BACKLOG);
}

static int remove_control(void)
{
    return unlink(SESSION_SOCKET);
}

int control_socket_listen(const struct init_options *options)
{
    return run_in_control_folder(options, listen_control);
}

void control_socket_remove(const struct init_options *options)
{
    run_in_control_folder(options, remove_control);
}

static struct {
    char *list;
    size_t size;
} debug_file;

/* O_NONBLOCK: root of the box may have put anything there while the box ran before, a FIFO too. */
static int read_debug(void)
{
    int fd = open(SESSION_DEBUG_FILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, debug_file.list, debug_file.size - 1);
    if (fd >= 0)
        close(fd);
    debug_file.list[length > 0 ? length : 0] = '\0';
    return 0;
}

void control_socket_read_debug(const struct init_options *options, char *list, size_t size)
{
    debug_file.list = list;
    debug_file.size = size;
    list[0] = '\0';
    run_in_control_folder(options, read_debug);
}

int control_socket_listen_user(const struct init_options *options, const char *path)
{
    struct file_ids before = use_ids(options->uid, options->gid);
    int fd = unix_socket_listen(path, TYPE, 0600, BACKLOG);
    restore_ids(before);
    return fd;
}

int control_socket_listen_sudo(void)
{
    mode_t old = umask(0);
    int fd = unix_socket_listen(SUDO_SOCKET_FOLDER "/" SUDO_SOCKET_NAME, TYPE, 0666, BACKLOG);
    umask(old);
    return fd;
}

static int refuse_caller(int fd)
{
    close(fd);
    errno = EACCES;
    return -1;
}

int control_socket_accept(int listener, const struct init_options *options)
{
    struct ucred peer;
    int fd = unix_socket_accept(listener, 0, &peer);
    if (fd < 0)
        return -1;
    /* A process of this box has a PID here. One outside of this PID namespace has 0. */
    return peer.pid == 0 && peer.uid == options->uid ? fd : refuse_caller(fd);
}

int control_socket_accept_sudo(int listener, const struct init_options *options, int *pid)
{
    struct ucred peer;
    int fd = unix_socket_accept(listener, 0, &peer);
    if (fd < 0)
        return -1;
    *pid = (int)peer.pid;
    return peer.pid > 0 && peer.uid == options->uid ? fd : refuse_caller(fd);
}
