#include "guest/init/control_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "proto/session.h"

#define BACKLOG 128

static int listen_at(const char *name, mode_t mode)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, name, sizeof address.sun_path - 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    unlink(name);
    mode_t old = umask(0777 & ~mode);
    int bound = bind(fd, (struct sockaddr *)&address, sizeof address);
    umask(old);
    if (bound < 0 || listen(fd, BACKLOG) < 0) {
        int saved = errno;
        close(fd);
        errno = saved;
        return -1;
    }
    return fd;
}

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
    return listen_at(SESSION_SOCKET, 0600);
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

int door_open_of_user(const struct init_options *options, const char *path)
{
    struct file_ids before = become(options->uid, options->gid);
    int door = listen_at(path, 0600);
    go_back(before);
    return door;
}

int door_open_sudo(void)
{
    return listen_at(DOOR_FOLDER "/" DOOR_SUDO_NAME, 0666);
}

static int accept_peer(int door, struct ucred *peer)
{
    socklen_t size = sizeof *peer;
    int fd = accept4(door, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return -1;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, peer, &size) < 0) {
        close(fd);
        errno = EACCES;
        return -1;
    }
    return fd;
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
    int fd = accept_peer(door, &peer);
    if (fd < 0)
        return -1;
    /* A process of this box has a pid here; the host's has none, which the kernel shows as 0. */
    return peer.pid == 0 && peer.uid == options->uid ? fd : refuse(fd);
}

int door_accept_sudo(int door, const struct init_options *options, int *pid)
{
    struct ucred peer;
    int fd = accept_peer(door, &peer);
    if (fd < 0)
        return -1;
    *pid = (int)peer.pid;
    return peer.pid > 0 && peer.uid == options->uid ? fd : refuse(fd);
}
