#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "session/client.h"

int client_connect(const char *folder, const char *name, int flags)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat st;
    int dir = open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0)
        return -1;
    /* The very inode that is checked is the one that is connected to. */
    int node = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    int saved = errno;
    close(dir);
    errno = saved;
    if (node < 0)
        return -1;
    int fd = -1;
    if (fstat(node, &st) < 0 || !S_ISSOCK(st.st_mode)) {
        errno = ECONNREFUSED;
    } else {
        fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
        snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d", node);
        if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
            saved = errno;
            close(fd);
            fd = -1;
            errno = saved;
        }
    }
    saved = errno;
    close(node);
    errno = saved;
    return fd;
}

pid_t client_peer(int connection)
{
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

int client_query(int connection, struct session_info *info)
{
    struct session_header header;
    char *body;
    int fds[3];
    struct timeval limit = {.tv_sec = 2};
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (session_send(connection, SESSION_QUERY, NULL, 0, NULL, 0) < 0)
        return -1;
    int got = session_receive(connection, &header, &body, fds);
    if (got != 1) {
        errno = got == 0 ? ECONNRESET : errno;
        return -1;
    }
    int ok = header.type == SESSION_INFO;
    if (ok)
        memcpy(info, body, sizeof *info);
    free(body);
    errno = EPROTO;
    return ok ? 0 : -1;
}
