/* Parsing the kernel's tables of TCP sockets. */
#include <arpa/inet.h>
#include <glib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "box/inspect/sockets.h"

#define REST " 00000000:00000000 00:00000000 00000000  1000        0 "
#define V4 "00000000:0000"
#define V6 "00000000000000000000000000000000:0000"

static GPtrArray *parse(const char *text, gboolean v6)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
    listeners_parse(text, v6, list);
    return list;
}

static guint count(const char *text, gboolean v6)
{
    g_autoptr(GPtrArray) list = parse(text, v6);
    return list->len;
}

static void listening(void)
{
    g_autoptr(GPtrArray) list =
        parse("  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
              "   0: 00000000:1F90 " V4 " 0A" REST "4711 1 00000000 100 0\n"
              "   1: 0100007F:0BB8 " V4 " 0A" REST "4712 1\n"
              "   2: 0100007F:1F90 " V4 " 0A" REST "4713 1\n"        /* the same port once more */
              "   3: 0100007F:1388 0100007F:9999 01" REST "4714 1\n" /* connected */
              "   4: 3500007F:0035 " V4 " 0A" REST "4715 1\n",       /* 127.0.0.53: not reachable */
              FALSE);
    g_assert_cmpuint(list->len, ==, 2);
    g_assert_cmpuint(((listener *)list->pdata[0])->port, ==, 8080);
    g_assert_cmpuint(((listener *)list->pdata[0])->inode, ==, 4711);
    g_assert_cmpuint(((listener *)list->pdata[1])->port, ==, 3000);
}

static void listening_on_ipv6(void)
{
    g_assert_cmpuint(
        count(" 0: 00000000000000000000000000000000:0050 " V6 " 0A" REST "1 1\n", TRUE), ==, 1);
    g_assert_cmpuint(
        count(" 0: 00000000000000000000000001000000:0050 " V6 " 0A" REST "1 1\n", TRUE), ==, 1);
    g_assert_cmpuint(
        count(" 0: 0000000000000000FFFF00000100007F:0050 " V6 " 0A" REST "1 1\n", TRUE), ==, 1);
    g_assert_cmpuint(
        count(" 0: 000080FE000000000000000001000000:0050 " V6 " 0A" REST "1 1\n", TRUE), ==, 0);
}

static void nonsense(void)
{
    g_assert_cmpuint(count("", FALSE), ==, 0);
    g_assert_cmpuint(count("\n\n\n", FALSE), ==, 0);
    g_assert_cmpuint(count(" 0: 0100007F:0000 " V4 " 0A" REST "1", FALSE), ==, 0);
    g_assert_cmpuint(count(" 0: 0100007F:0BB8 " V4 " 0A", FALSE), ==, 0);
    g_assert_cmpuint(count(" 0: 0100007F:0BB8 " V4 " 0A 00000000:00000000 00:0", FALSE), ==, 0);
    g_assert_cmpuint(count(" x: 0100007F:0BB8 " V4 " 0A" REST "1", FALSE), ==, 0);
}

static void too_many(void)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 1; i <= 5000; i++)
        g_string_append_printf(text, " 0: 0100007F:%04X " V4 " 0A" REST "%u 1\n", i, i);
    g_assert_cmpuint(count(text->str, FALSE), ==, LISTENERS_MAX);
}

/* A listener of this process, in the kernel's table. */
static void real_one(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    g_assert_cmpint(bind(fd, (struct sockaddr *)&address, sizeof address), ==, 0);
    g_assert_cmpint(listen(fd, 1), ==, 0);
    g_assert_cmpint(getsockname(fd, (struct sockaddr *)&address, &size), ==, 0);
    g_autoptr(GPtrArray) list = listeners_find(getpid());
    gboolean found = FALSE;
    for (guint i = 0; i < list->len; i++) {
        const listener *one = list->pdata[i];
        if (one->port != ntohs(address.sin_port))
            continue;
        found = TRUE;
        g_assert_cmpint(one->pid, ==, getpid());
        g_assert_cmpstr(one->program, ==, "test-listeners");
    }
    /* The list is full on a machine with more listeners than LISTENERS_MAX. */
    g_assert_true(found || list->len == LISTENERS_MAX);
    g_assert_true(listeners_is_host_network(getpid()));
    close(fd);
}

/* A connection of this process, over IPv4 and by an IPv6 socket. */
static void owner_of_a_connection(int family)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int client = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    g_assert_cmpint(bind(server, (struct sockaddr *)&address, sizeof address), ==, 0);
    g_assert_cmpint(listen(server, 1), ==, 0);
    g_assert_cmpint(getsockname(server, (struct sockaddr *)&address, &size), ==, 0);
    struct sockaddr_in6 mapped = {.sin6_family = AF_INET6, .sin6_port = address.sin_port};
    inet_pton(AF_INET6, "::ffff:127.0.0.1", &mapped.sin6_addr);
    g_assert_cmpint(family == AF_INET ? connect(client, (struct sockaddr *)&address, sizeof address)
                                      : connect(client, (struct sockaddr *)&mapped, sizeof mapped),
                    ==, 0);
    int accepted = accept(server, (struct sockaddr *)&address, &size);
    struct sockaddr_in own = {0};
    size = sizeof own;
    getsockname(server, (struct sockaddr *)&own, &size);
    guint16 port = ntohs(address.sin_port), remote = ntohs(own.sin_port);
    g_assert_cmpint(socket_owner(getpid(), INADDR_LOOPBACK, port, remote), ==, getpid());
    g_assert_cmpint(socket_owner(getpid(), INADDR_LOOPBACK + 1, port, remote), ==, 0);
    /* A program that has said all is still there. */
    g_assert_cmpint(shutdown(client, SHUT_WR), ==, 0);
    g_assert_cmpint(socket_owner(getpid(), INADDR_LOOPBACK, port, remote), ==, getpid());
    close(accepted);
    close(client);
    close(server);
}

static void owners(void)
{
    owner_of_a_connection(AF_INET);
    owner_of_a_connection(AF_INET6);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/listeners/listening", listening);
    g_test_add_func("/listeners/listening-on-ipv6", listening_on_ipv6);
    g_test_add_func("/listeners/nonsense", nonsense);
    g_test_add_func("/listeners/too-many", too_many);
    g_test_add_func("/listeners/owners", owners);
    g_test_add_func("/listeners/real-one", real_one);
    return g_test_run();
}
