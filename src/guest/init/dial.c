#include "guest/init/dial.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <unistd.h>

#include "guest/init/session.h"
#include "proto/session.h"

/* On loopback only a server whose queue is full lets us wait. */
#define CONNECT_TIMEOUT_MS 5000

/* The outcome of a connect that was not over at once. */
static int await(int fd)
{
    struct pollfd wait = {.fd = fd, .events = POLLOUT};
    int error = 0, n;
    socklen_t size = sizeof error;
    do {
        n = poll(&wait, 1, CONNECT_TIMEOUT_MS);
    } while (n < 0 && errno == EINTR);
    if (n == 0)
        error = ETIMEDOUT;
    else if (n < 0 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
        error = errno;
    errno = error;
    return error ? -1 : 0;
}

/* The socket is the user's, as its sessions' are. The process stays root's: nobody in the box may
 * stop it, and with enough that are stopped keep the host out. */
static void become_owner(const struct init_options *options)
{
    setfsgid(options->gid);
    setfsuid(options->uid);
}

static int dial(const struct sockaddr *address, socklen_t size)
{
    int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
    if (fd < 0)
        return -1;
    if (connect(fd, address, size) == 0 || (errno == EINPROGRESS && await(fd) == 0))
        return fd;
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

/* Development servers listen on one of the two, and which one is a matter of their language. */
static int dial_loopback(int port)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6,
                              .sin6_port = htons((uint16_t)port),
                              .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int fd = dial((struct sockaddr *)&v4, sizeof v4);
    if (fd >= 0 || errno != ECONNREFUSED)
        return fd;
    fd = dial((struct sockaddr *)&v6, sizeof v6);
    if (fd < 0) /* no IPv6, perhaps: what IPv4 said counts */
        errno = ECONNREFUSED;
    return fd;
}

int dial_serve(const struct init_options *options, int client, const char *body, size_t length)
{
    struct session_failed failure = {SESSION_STAGE_CONNECT, 0};
    int port = session_connect_parse(body, length);
    int fd = -1;
    become_owner(options);
    if (port < 0)
        failure = (struct session_failed){SESSION_STAGE_REQUEST, EINVAL};
    else if ((fd = dial_loopback(port)) < 0)
        failure.error = errno;
    if (fd < 0) {
        session_send(client, SESSION_FAILED, &failure, sizeof failure, NULL, 0);
        return SESSION_ONLY_ASKED;
    }
    return session_send(client, SESSION_CONNECTED, NULL, 0, &fd, 1) == 0 ? 0 : SESSION_ONLY_ASKED;
}
