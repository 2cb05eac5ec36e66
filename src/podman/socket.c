#include "podman/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "podman/cancel.h"

/* How often a full queue is tried again, in milliseconds. */
#define RETRY_MS 20

/*
 * Fills ADDRESS. A path that does not fit (a runtime folder may be deep) is reached through its
 * folder's descriptor, which goes to *FOLDER and must stay open until the call is done.
 */
static gboolean set_address(struct sockaddr_un *address, const char *path, int *folder) {
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    *folder = -1;
    if (strlen(path) < sizeof address->sun_path) {
        memcpy(address->sun_path, path, strlen(path) + 1);
        return TRUE;
    }
    g_autofree char *parent = g_path_get_dirname(path);
    g_autofree char *name = g_path_get_basename(path);
    *folder = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (*folder < 0)
        return FALSE;
    if (g_snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/%s", *folder,
                   name) < (int)sizeof address->sun_path)
        return TRUE;
    close(*folder);
    *folder = -1;
    errno = ENAMETOOLONG;
    return FALSE;
}

static void close_keeping_errno(int fd) {
    int saved = errno;

    if (fd >= 0)
        close(fd);
    errno = saved;
}

int socket_connect(const char *path, int wait_ms) {
    struct sockaddr_un address;
    int folder, result;

    if (!set_address(&address, path, &folder))
        return -1;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        close_keeping_errno(folder);
        return -1;
    }
    for (;;) {
        result = connect(fd, (struct sockaddr *)&address, sizeof address);
        /* EAGAIN: the listener's queue is full; a Unix socket has no connect under way to wait for.
         */
        if (result == 0 || (errno != EAGAIN && errno != EINTR) || wait_ms <= 0)
            break;
        struct pollfd wake_up = {.fd = cancel_fd(), .events = POLLIN};
        if (poll(&wake_up, 1, RETRY_MS) > 0)
            break;
        wait_ms -= RETRY_MS;
    }
    close_keeping_errno(folder);
    if (result == 0)
        return fd;
    close_keeping_errno(fd);
    return -1;
}

int socket_listen(const char *path) {
    struct sockaddr_un address;
    int folder;

    if (!set_address(&address, path, &folder))
        return -1;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    /* The folder is the user's own (0700), so that the mode is not what protects the socket. */
    if (fd < 0 || (unlink(path) < 0 && errno != ENOENT) ||
        bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || chmod(path, 0600) < 0 ||
        listen(fd, SOMAXCONN) < 0) {
        close_keeping_errno(fd);
        fd = -1;
    }
    close_keeping_errno(folder);
    return fd;
}

gboolean socket_peer_is_us(int fd) {
    struct ucred peer;
    socklen_t length = sizeof peer;

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == getuid();
}
