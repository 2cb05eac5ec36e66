/* The host's side of CONNECT accepts only a TCP socket that is connected to the port on loopback.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "session/client_connect.h"

typedef struct {
    int listener, port;
} server;

static server serve(in_addr_t where, int type)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(where)};
    socklen_t size = sizeof address;
    server made = {.listener = socket(AF_INET, type | SOCK_CLOEXEC, 0)};
    g_assert_cmpint(bind(made.listener, (struct sockaddr *)&address, sizeof address), ==, 0);
    if (type == SOCK_STREAM)
        g_assert_cmpint(listen(made.listener, 4), ==, 0);
    g_assert_cmpint(getsockname(made.listener, (struct sockaddr *)&address, &size), ==, 0);
    made.port = ntohs(address.sin_port);
    return made;
}

static int connect_to(in_addr_t where, int type, int port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(where)};
    int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
    g_assert_cmpint(connect(fd, (struct sockaddr *)&address, sizeof address), ==, 0);
    return fd;
}

static int check(int fd, int port)
{
    int result = client_connect_check(fd, port);
    close(fd);
    return result;
}

static void connected_socket_is_accepted(void)
{
    server one = serve(INADDR_LOOPBACK, SOCK_STREAM);
    g_assert_true(check(connect_to(INADDR_LOOPBACK, SOCK_STREAM, one.port), one.port));
    g_assert_false(check(connect_to(INADDR_LOOPBACK, SOCK_STREAM, one.port), one.port ^ 1));
    close(one.listener);
}

static void other_descriptors_are_refused(void)
{
    int pair[2], pipes[2];
    server other = serve(INADDR_LOOPBACK + 1, SOCK_STREAM),
           udp = serve(INADDR_LOOPBACK, SOCK_DGRAM);
    g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), ==, 0);
    g_assert_cmpint(pipe(pipes), ==, 0);
    g_assert_false(check(connect_to(INADDR_LOOPBACK + 1, SOCK_STREAM, other.port), other.port));
    g_assert_false(check(connect_to(INADDR_LOOPBACK, SOCK_DGRAM, udp.port), udp.port));
    g_assert_false(check(other.listener, other.port));
    g_assert_false(check(udp.listener, udp.port));
    g_assert_false(check(socket(AF_INET, SOCK_STREAM, 0), 80));
    g_assert_false(check(open("/dev/null", O_RDWR), 80));
    for (int i = 0; i < 2; i++) {
        g_assert_false(check(pair[i], 80));
        g_assert_false(check(pipes[i], 80));
    }
    g_assert_false(client_connect_check(-1, 80));
}

/* The result when box-init answers with TYPE, BODY and COUNT of FDS. */
static int end_with(enum session_type type, const void *body, size_t length, const int *fds,
                    int count, int port)
{
    int pair[2];
    g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), ==, 0);
    g_assert_cmpint(session_send(pair[0], type, body, length, fds, count), ==, 0);
    close(pair[0]);
    int fd = client_connect_end(pair[1], port);
    int saved = errno;
    close(pair[1]);
    errno = saved;
    return fd;
}

static void answers_are_checked(void)
{
    server one = serve(INADDR_LOOPBACK, SOCK_STREAM);
    int good[3];
    for (int i = 0; i < 3; i++)
        good[i] = connect_to(INADDR_LOOPBACK, SOCK_STREAM, one.port);
    int fd = end_with(SESSION_CONNECTED, NULL, 0, good, 1, one.port);
    g_assert_cmpint(fd, >, 2);
    close(fd);
    for (int count = 0; count < 4; count += count ? 1 : 2) { /* 0, 2, 3 */
        g_assert_cmpint(end_with(SESSION_CONNECTED, NULL, 0, good, count, one.port), ==, -1);
        g_assert_cmpint(errno, ==, EPROTO);
    }
    g_assert_cmpint(end_with(SESSION_ASK, "hi", 2, good, 1, one.port), ==, -1);
    g_assert_cmpint(errno, ==, EPROTO);
    struct session_failed failures[] = {
        {SESSION_STAGE_CONNECT, ECONNREFUSED}, {SESSION_STAGE_CONNECT, 0}, {9, -1}, {9, INT32_MAX}};
    for (gsize i = 0; i < G_N_ELEMENTS(failures); i++) {
        g_assert_cmpint(end_with(SESSION_FAILED, &failures[i], sizeof failures[i], NULL, 0, 1), ==,
                        -1);
        g_assert_cmpint(errno, ==, i ? EPROTO : ECONNREFUSED);
    }
    for (int i = 0; i < 3; i++)
        close(good[i]);
    close(one.listener);
}

static void missing_answer_does_not_block(void)
{
    int pair[2];
    g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), ==, 0);
    g_assert_cmpint(client_connect_end(pair[1], 80), ==, -1); /* at once */
    g_assert_cmpint(errno, ==, EPROTO);
    close(pair[0]);
    g_assert_cmpint(client_connect_end(pair[1], 80), ==, -1);
    g_assert_cmpint(errno, ==, CLIENT_CONNECT_UNKNOWN);
    close(pair[1]);
}

/* Those that an answer has brought along, unasked. */
static void surplus_descriptors_are_closed(void)
{
    int pair[2], pipes[2];
    char byte;
    struct session_info info = {.sessions = 2}, got;
    g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), ==, 0);
    g_assert_cmpint(pipe(pipes), ==, 0);
    int given[] = {pipes[1], pipes[1], pipes[1]};
    g_assert_cmpint(session_send(pair[0], SESSION_INFO, &info, sizeof info, given, 3), ==, 0);
    g_assert_cmpint(client_query(pair[1], &got), ==, 0);
    g_assert_cmpuint(got.sessions, ==, 2);
    close(pipes[1]);
    g_assert_cmpint(fcntl(pipes[0], F_SETFL, O_NONBLOCK), ==, 0);
    g_assert_cmpint(read(pipes[0], &byte, 1), ==, 0); /* nobody has the other end */
    close(pipes[0]);
    close(pair[0]);
    close(pair[1]);
}

static void invalid_ports_are_refused(void)
{
    struct session_connect ports[] = {{0}, {65536}, {UINT32_MAX}, {1}, {65535}};
    for (gsize i = 0; i < G_N_ELEMENTS(ports); i++) {
        int port = session_connect_parse((const char *)&ports[i], sizeof ports[i]);
        g_assert_cmpint(port, ==, i < 3 ? -1 : (int)ports[i].port);
    }
    g_assert_cmpint(session_connect_parse((const char *)&ports[3], 3), ==, -1);
    g_assert_cmpint(session_connect_parse("", 0), ==, -1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/session-connect/accepted", connected_socket_is_accepted);
    g_test_add_func("/session-connect/refused", other_descriptors_are_refused);
    g_test_add_func("/session-connect/answers", answers_are_checked);
    g_test_add_func("/session-connect/no-answer", missing_answer_does_not_block);
    g_test_add_func("/session-connect/surplus-descriptors", surplus_descriptors_are_closed);
    g_test_add_func("/session-connect/ports", invalid_ports_are_refused);
    return g_test_run();
}
