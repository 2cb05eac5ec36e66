#include "session/client_connect.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/unix_socket.h"
#include "session/client.h"

int client_connect_begin(const char *folder, int port)
{
    struct session_connect request = {.port = (uint32_t)port};
    int fd = unix_socket_connect_in(folder, SESSION_SOCKET, SOCK_STREAM | SOCK_NONBLOCK);
    if (fd < 0)
        return -1;
    if (session_send(fd, SESSION_CONNECT, &request, sizeof request, NULL, 0) == 0)
        return fd;
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

static int option_of(int fd, int name)
{
    int value = -1;
    socklen_t size = sizeof value;
    return getsockopt(fd, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

static int peer_is_loopback(int fd, int port)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } peer = {0};
    socklen_t size = sizeof peer;
    if (getpeername(fd, &peer.any, &size) < 0)
        return 0;
    if (peer.any.sa_family == AF_INET)
        return ntohs(peer.v4.sin_port) == port && ntohl(peer.v4.sin_addr.s_addr) == INADDR_LOOPBACK;
    return peer.any.sa_family == AF_INET6 && ntohs(peer.v6.sin6_port) == port &&
           IN6_IS_ADDR_LOOPBACK(&peer.v6.sin6_addr);
}

int client_connect_check(int fd, int port)
{
    int domain = option_of(fd, SO_DOMAIN);
    return (domain == AF_INET || domain == AF_INET6) && option_of(fd, SO_TYPE) == SOCK_STREAM &&
           option_of(fd, SO_PROTOCOL) == IPPROTO_TCP && option_of(fd, SO_ACCEPTCONN) == 0 &&
           peer_is_loopback(fd, port);
}

/* The socket in an answer, or -1 with errno. */
static int take(const struct session_header *header, const char *body, const int fds[3], int port)
{
    struct session_failed failure;
    errno = EPROTO;
    if (header->type == SESSION_FAILED) {
        memcpy(&failure, body, sizeof failure);
        if (failure.error > 0 && failure.error < 4096) /* the kernel's range (MAX_ERRNO) */
            errno = failure.error;
        return -1;
    }
    if (header->type != SESSION_CONNECTED || fds[0] < 0 || fds[1] >= 0 ||
        !client_connect_check(fds[0], port)) {
        errno = EPROTO;
        return -1;
    }
    return fds[0];
}

int client_connect_end(int connection, int port)
{
    struct session_header header;
    char *body;
    int fds[3];
    int got = session_receive(connection, &header, &body, fds);
    if (got != 1) {
        /* ECONNRESET: it closed the connection without reading the request. */
        if (got == 0 || errno == ECONNRESET)
            errno = CLIENT_CONNECT_UNKNOWN;
        else if (errno == EAGAIN)
            errno = EPROTO; /* a part of a message; box-init sends whole ones */
        return -1;
    }
    int fd = take(&header, body, fds, port);
    int saved = errno;
    if (fd >= 0)
        fds[0] = -1;
    session_close_descriptors(fds);
    free(body);
    errno = saved;
    return fd;
}

/* How long a box may take to say what runs in it. */
#define ANSWER_TIMEOUT_S 2

int client_query(int connection, struct session_info *info)
{
    struct session_header header;
    char *body;
    int fds[3];
    unix_socket_limit_waiting(connection, ANSWER_TIMEOUT_S);
    if (session_send(connection, SESSION_QUERY, NULL, 0, NULL, 0) < 0)
        return -1;
    int got = session_receive(connection, &header, &body, fds);
    if (got != 1) {
        errno = got == 0 ? ECONNRESET : errno;
        return -1;
    }
    session_close_descriptors(fds);
    int ok = header.type == SESSION_INFO;
    if (ok)
        session_info_read(info, body, header.length);
    free(body);
    errno = EPROTO;
    return ok ? 0 : -1;
}
