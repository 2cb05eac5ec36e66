/* The gate's resolver: more queries than threads wait for their turn, and can be forgotten;
 * and the order of addresses. */
#include <arpa/inet.h>
#include <glib.h>

#include "host/gate/resolver.h"
#include "net/event_loop.h"

#define QUERIES 300

static int expected, found;

static void done(void *owner, const struct resolved *result)
{
    gboolean *called = owner;
    g_assert_false(*called);
    *called = TRUE;
    for (gsize i = 0; i < result->count; i++)
        if (result->address[i].any.sa_family == AF_INET) {
            g_assert_cmpint(ntohl(result->address[i].v4.sin_addr.s_addr), ==, INADDR_LOOPBACK);
            g_assert_cmpint(ntohs(result->address[i].v4.sin_port), ==, 443);
            found++;
            break;
        }
    if (--expected == 0)
        event_loop_quit();
}

static void many_queries_wait(void)
{
    static gboolean called[QUERIES];
    static struct resolver_query *query[QUERIES];
    g_assert_cmpint(resolver_init(), ==, 0);
    for (int i = 0; i < QUERIES; i++) {
        query[i] = resolver_begin("localhost", 443, done, &called[i]);
        g_assert_nonnull(query[i]);
    }
    /* Those that have a thread, the last that waits, and others that do. */
    for (int i = 2; i < QUERIES; i += 3)
        resolver_forget(query[i]);
    expected = QUERIES - QUERIES / 3;
    event_loop_run();
    g_assert_cmpint(found, ==, QUERIES - QUERIES / 3);
    for (int i = 0; i < QUERIES; i++)
        g_assert_cmpint(called[i], ==, i % 3 != 2);
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
    g_test_add_func("/gate_resolver/order", families_take_turns);
    g_test_add_func("/gate_resolver/many", many_queries_wait);
    return g_test_run();
}
