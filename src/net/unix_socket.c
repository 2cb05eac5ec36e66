#include "net/unix_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* Closes FD, which may be -1, and keeps errno. Returns -1, for a caller that fails. */
static int close_failed(int fd)
{
    int saved = errno;
    if (fd >= 0)
        close(fd);
    errno = saved;
    return -1;
}

/* Opens the folder of PATH, and points *NAME behind its last slash. FLAGS: 0 or O_NOFOLLOW. */
static int open_folder(const char *path, int flags, const char **name)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t length = slash > path ? (size_t)(slash - path) : 1;
    *name = slash ? slash + 1 : path;
    if (length >= sizeof folder) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(folder, slash ? path : ".", length);
    folder[length] = '\0';
    return open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC | flags);
}

static int write_address(char *address, int folder, const char *name)
{
    int length = folder == AT_FDCWD ? snprintf(address, UNIX_SOCKET_ADDRESS_SIZE, "%s", name)
                                    : snprintf(address, UNIX_SOCKET_ADDRESS_SIZE,
                                               "/proc/self/fd/%d/%s", folder, name);
    if (length > 0 && (size_t)length < UNIX_SOCKET_ADDRESS_SIZE)
        return 0;
    errno = ENAMETOOLONG;
    return -1;
}

int unix_socket_address(const char *path, char *address, int *folder)
{
    const char *name;
    *folder = -1;
    if (write_address(address, AT_FDCWD, path) == 0)
        return 0;
    int fd = open_folder(path, 0, &name);
    if (fd < 0 || write_address(address, fd, name) < 0)
        return close_failed(fd);
    *folder = fd;
    return 0;
}

static int connect_to(const struct sockaddr_un *address, int type)
{
    int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)address, sizeof *address) == 0)
        return fd;
    return close_failed(fd);
}

int unix_socket_connect(const char *path, int type)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int folder;
    if (unix_socket_address(path, address.sun_path, &folder) < 0)
        return -1;
    int fd = connect_to(&address, type);
    close_failed(folder);
    return fd;
}

/* A box that listens and accepts nobody would hold up who connects for ever (connect(2), EAGAIN).
 */
#define CONNECT_LIMIT_S 2

static void limit_sending(int connection, int seconds)
{
    struct timeval limit = {.tv_sec = seconds};
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

static int connect_in_time(const struct sockaddr_un *address, int type)
{
    int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    limit_sending(fd, CONNECT_LIMIT_S);
    if (connect(fd, (const struct sockaddr *)address, sizeof *address) < 0)
        return close_failed(fd);
    limit_sending(fd, 0);
    return fd;
}

int unix_socket_connect_in(const char *folder, const char *name, int type)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat st;
    int dir = open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    /* The inode that is checked is the one that is connected to, whatever becomes of its name. */
    int node = dir < 0 ? -1 : openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    close_failed(dir);
    if (node < 0)
        return -1;
    int fd = -1;
    if (fstat(node, &st) < 0 || !S_ISSOCK(st.st_mode)) {
        errno = ECONNREFUSED;
    } else {
        snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d", node);
        fd = connect_in_time(&address, type);
    }
    close_failed(node);
    return fd;
}

/* ADDRESS is that of NAME in FOLDER. */
static int bind_as(const struct sockaddr_un *address, int folder, const char *name, int type,
                   mode_t mode)
{
    int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    if (fd >= 0)
        unlinkat(folder, name, 0);
    /* bind(2) gives the file the socket's own mode (unix_bind_bsd() of the kernel). */
    if (fd >= 0 && fchmod(fd, mode) == 0 &&
        bind(fd, (const struct sockaddr *)address, sizeof *address) == 0)
        return fd;
    return close_failed(fd);
}

static int listen_as(const struct sockaddr_un *address, int folder, const char *name, int type,
                     mode_t mode, int backlog)
{
    int fd = bind_as(address, folder, name, type, mode);
    return fd < 0 || listen(fd, backlog) == 0 ? fd : close_failed(fd);
}

int unix_socket_bind_at(int folder, const char *name, int type, mode_t mode)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (write_address(address.sun_path, folder, name) < 0)
        return -1;
    return bind_as(&address, folder, name, type, mode);
}

int unix_socket_listen_at(int folder, const char *name, int type, mode_t mode, int backlog)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (write_address(address.sun_path, folder, name) < 0)
        return -1;
    return listen_as(&address, folder, name, type, mode, backlog);
}

int unix_socket_listen(const char *path, int type, mode_t mode, int backlog)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *name;
    int fd = -1, folder = open_folder(path, O_NOFOLLOW, &name);
    if (folder >= 0 && (write_address(address.sun_path, AT_FDCWD, path) == 0 ||
                        write_address(address.sun_path, folder, name) == 0))
        fd = listen_as(&address, folder, name, type, mode, backlog);
    close_failed(folder);
    return fd;
}

int unix_socket_send_rest(int fd, const void *data, size_t length, size_t *sent)
{
    while (*sent < length) {
        ssize_t n =
            send(fd, (const char *)data + *sent, length - *sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n >= 0)
            *sent += (size_t)n;
        else if (errno != EINTR)
            return errno == EAGAIN ? 0 : -1;
    }
    return 1;
}

int unix_socket_accept(int listener, int flags, struct ucred *peer)
{
    socklen_t size = sizeof *peer;
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | flags);
    if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, peer, &size) == 0)
        return fd;
    close(fd);
    errno = EACCES;
    return -1;
}

void unix_socket_limit_waiting(int connection, int seconds)
{
    struct timeval limit = {.tv_sec = seconds};
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    limit_sending(connection, seconds);
}

pid_t unix_socket_peer_pid(int connection)
{
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}
