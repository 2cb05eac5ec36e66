/* Which keys of [network] are refused, because they would have no effect in a mode. */
#include <glib.h>

#include "config/schema.h"
#include "plan_fixture.h"

/* The boolean KEY of [network]. */
static gboolean *network_flag(fixture *self, const char *key)
{
    return schema_field(schema_find("network", key), self->wanted);
}

/* A flag, and the modes with which it would do nothing. */
static void network_keys_need_modes(void)
{
    static const struct {
        const char *key;
        gboolean refused[NETWORK_HOST + 1];
    } table[] = {
        {"ask", {[NETWORK_OPEN] = TRUE, [NETWORK_HOST] = TRUE}},
        {"audit", {[NETWORK_OPEN] = TRUE, [NETWORK_HOST] = TRUE}},
        {"ech", {[NETWORK_OPEN] = TRUE, [NETWORK_HOST] = TRUE}},
        {"ping", {[NETWORK_FILTERED] = TRUE, [NETWORK_ASK] = TRUE, [NETWORK_HOST] = TRUE}},
        {"forwarding", {[NETWORK_HOST] = TRUE}},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(table); i++) {
        for (int mode = NETWORK_NONE; mode <= NETWORK_HOST; mode++) {
            g_auto(fixture) m;
            fixture_init(&m);
            m.wanted->network.mode = mode;
            make_request(&m);
            *network_flag(&m, table[i].key) = TRUE;
            g_autofree char *words =
                g_strdup_printf("network.%s needs network.mode = ", table[i].key);
            if (table[i].refused[mode])
                assert_refused(&m, words);
            else
                make_request(&m);
        }
    }
}

static void network_lists_need_modes(void)
{
    g_auto(fixture) m;
    fixture_init(&m);
    m.wanted->network.mode = NETWORK_NONE;
    set_list(&m.wanted->network.deny, "example.com");
    set_list(&m.wanted->network.dns, "192.0.2.1");
    make_request(&m); /* it is cut off, whatever another file allows */
    m.wanted->network.mode = NETWORK_HOST;
    assert_refused(&m, "network.deny needs");
    g_clear_pointer(&m.wanted->network.deny, g_strfreev);
    make_request(&m);
    g_clear_pointer(&m.wanted->network.dns, g_strfreev);
    set_list(&m.wanted->network.allow, "example.com");
    assert_refused(&m, "network.allow needs");
    m.wanted->network.mode = NETWORK_NONE;
    make_request(&m);
}

/* In the trust summary it is a limit; here its default is no choice of a user's. */
static void network_connections_need_modes(void)
{
    for (int mode = NETWORK_NONE; mode <= NETWORK_HOST; mode++) {
        g_auto(fixture) m;
        fixture_init(&m);
        m.wanted->network.mode = mode;
        m.wanted->network.connections = 1024;
        make_request(&m);
        m.wanted->network.connections = 20;
        if (mode == NETWORK_OPEN || mode == NETWORK_HOST)
            assert_refused(&m, "network.connections needs network.mode = \"ask\" or \"filtered\"");
        else
            make_request(&m);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/plan_network/keys", network_keys_need_modes);
    g_test_add_func("/plan_network/connections", network_connections_need_modes);
    g_test_add_func("/plan_network/lists", network_lists_need_modes);
    return g_test_run();
}
