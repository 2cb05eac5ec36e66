/* The gate's resolver and its process: more queries than it takes at a time wait for their turn,
 * and can be forgotten; those for one name are asked once; and the order of addresses. */
#include <arpa/inet.h>
#include <glib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/gate/resolver.h"
#include "net/event_loop.h"
#include "net/unix_socket.h"
#include "proto/secret_files.h"

#define QUERIES 300

static const char *folder; /* of the box */
static int expected, found;

struct query {
    guint32 address;
    gboolean called;
};

static void done(void *owner, const struct resolved *result, int line)
{
    struct query *query = owner;
    g_assert_false(query->called);
    g_assert_cmpint(line, ==, -1);
    query->called = TRUE;
    for (gsize i = 0; i < result->count; i++)
        if (result->address[i].any.sa_family == AF_INET) {
            g_assert_cmpint(ntohl(result->address[i].v4.sin_addr.s_addr), ==, query->address);
            g_assert_cmpint(ntohs(result->address[i].v4.sin_port), ==, 443);
            found++;
            break;
        }
    if (--expected == 0)
        event_loop_quit();
}

static void many_queries_wait(void)
{
    static struct query asked[QUERIES];
    static struct resolver_query *query[QUERIES];
    for (int i = 0; i < QUERIES; i++) {
        char name[INET_ADDRSTRLEN];
        asked[i].address = INADDR_LOOPBACK + (guint32)i;
        const struct in_addr address = {htonl(asked[i].address)};
        query[i] =
            resolver_begin(inet_ntop(AF_INET, &address, name, sizeof name), 443, done, &asked[i]);
        g_assert_nonnull(query[i]);
    }
    /* Those that are under way, the last that waits, and others that do. */
    for (int i = 2; i < QUERIES; i += 3)
        resolver_forget(query[i]);
    expected = QUERIES - QUERIES / 3;
    event_loop_run();
    g_assert_cmpint(found, ==, QUERIES - QUERIES / 3);
    for (int i = 0; i < QUERIES; i++)
        g_assert_cmpint(asked[i].called, ==, i % 3 != 2);
}

/* The test is the process from now on. */
static void one_name_is_asked_once(void)
{
    static struct query asked[4];
    static const char *const name[] = {"a.example", "b.example", "a.example", "a.example"};
    struct resolver_query *query[4];
    struct resolver_request request;
    struct resolver_answer answer = {.found.count = 1};
    int pair[2];
    g_assert_cmpint(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair), ==, 0);
    g_assert_cmpint(resolver_init(pair[0]), ==, 0);
    for (guint i = 0; i < 4; i++) {
        asked[i].address = name[i][0] == 'a' ? 1 : 2;
        query[i] = resolver_begin(name[i], 443, done, &asked[i]);
    }
    resolver_forget(query[2]);
    answer.found.address[0].v4.sin_family = AF_INET;
    for (guint i = 0; i < 2; i++) {
        g_assert_cmpint(read(pair[1], &request, sizeof request), ==, sizeof request);
        g_assert_cmpstr(request.name, ==, name[i]);
        answer.number = request.number;
        answer.found.address[0].v4.sin_addr.s_addr = htonl(asked[i].address);
        g_assert_cmpint(write(pair[1], &answer, sizeof answer), ==, sizeof answer);
    }
    g_assert_cmpint(read(pair[1], &request, sizeof request), ==, -1); /* no more */
    expected = 3;
    event_loop_run();
    g_assert_true(asked[0].called && asked[1].called && !asked[2].called && asked[3].called);
    /* What has been answered is asked anew. */
    asked[0].called = FALSE;
    g_assert_nonnull(resolver_begin("a.example", 443, done, &asked[0]));
    g_assert_cmpint(read(pair[1], &request, sizeof request), ==, sizeof request);
    answer.number = request.number;
    answer.found.address[0].v4.sin_addr.s_addr = htonl(1);
    g_assert_cmpint(write(pair[1], &answer, sizeof answer), ==, sizeof answer);
    expected = 1;
    event_loop_run();
    close(pair[0]);
    close(pair[1]);
}

static void keep_line(void *owner, const struct resolved *result, int line)
{
    g_assert_cmpuint(result->count, ==, 0);
    *(int *)owner = line;
    event_loop_quit();
}

static void lines_are_opened(void)
{
    int line, forgotten;
    char byte;
    g_assert_nonnull(resolver_begin_line(keep_line, &line));
    event_loop_run();
    g_assert_cmpint(line, ==, -1); /* nobody listens */
    g_autofree char *path = g_build_filename(folder, SECRETS_SOCKET, NULL);
    int listener = unix_socket_listen(path, SOCK_SEQPACKET, 0600, 8);
    g_assert_nonnull(resolver_begin_line(keep_line, &line));
    event_loop_run();
    int gate = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    g_assert_cmpint(write(line, "x", 1), ==, 1);
    g_assert_cmpint(read(gate, &byte, 1), ==, 1);
    close(line);
    g_assert_cmpint(read(gate, &byte, 1), ==, 0); /* the process has not kept it */
    close(gate);
    /* One that nobody wants any more is closed. */
    resolver_forget(resolver_begin_line(keep_line, &forgotten));
    g_assert_nonnull(resolver_begin_line(keep_line, &line));
    event_loop_run();
    gate = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    g_assert_cmpint(read(gate, &byte, 1), ==, 0);
    close(gate);
    close(line);
    close(listener);
    unlink(path);
}

/* "446" are two addresses of IPv4 and one of IPv6; each has a port of its own. */
static void assert_order(const char *families, const char *order)
{
    struct resolved list = {0};
    for (; families[list.count]; list.count++) {
        list.address[list.count].any.sa_family = families[list.count] == '6' ? AF_INET6 : AF_INET;
        list.address[list.count].v4.sin_port = (in_port_t)list.count;
    }
    int last[2] = {-1, -1};
    resolved_interleave(&list);
    for (gsize i = 0; i < list.count; i++) {
        gboolean is_v6 = list.address[i].any.sa_family == AF_INET6;
        g_assert_cmpint(order[i], ==, is_v6 ? '6' : '4');
        g_assert_cmpint(list.address[i].v4.sin_port, >, last[is_v6]);
        last[is_v6] = list.address[i].v4.sin_port;
    }
}

static void families_take_turns(void)
{
    assert_order("", "");
    assert_order("4", "4");
    assert_order("666", "666");
    assert_order("664", "646");
    assert_order("6644", "6464");
    assert_order("4446", "4644");
    assert_order("6444", "6444");
    assert_order("4466664", "4646466");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_autofree char *made = g_dir_make_tmp("gate-resolver-XXXXXX", NULL);
    folder = made;
    g_assert_cmpint(resolver_init(resolver_fork(folder)), ==, 0);
    g_test_add_func("/gate_resolver/order", families_take_turns);
    g_test_add_func("/gate_resolver/many", many_queries_wait);
    g_test_add_func("/gate_resolver/lines", lines_are_opened);
    g_test_add_func("/gate_resolver/once", one_name_is_asked_once);
    int status = g_test_run();
    rmdir(folder);
    return status;
}
