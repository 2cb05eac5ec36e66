/* Parsing the kernel's tables of routes: does one lead out of the box? */
#include <glib.h>
#include <unistd.h>

#include "box/inspect/network.h"

#define HEADING \
    "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
#define ROUTE "\t00000000\t0202000A\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
#define ADDRESS "00000000000000000000000000000000"

static void version_4(void)
{
    g_assert_true(network_has_route(HEADING "tap0" ROUTE));
    g_assert_true(network_has_route(HEADING "lo" ROUTE "eth0" ROUTE));
    g_assert_true(network_has_route(HEADING "lo2" ROUTE));
    g_assert_false(network_has_route(HEADING));
    g_assert_false(network_has_route(HEADING "lo" ROUTE));
    g_assert_false(network_has_route("Iface"));
    g_assert_false(network_has_route("\n\n"));
    g_assert_false(network_has_route(""));
}

static void version_6(void)
{
    const char *of_lo = ADDRESS " 00 " ADDRESS " 00 " ADDRESS " ffffffff 00000001 00000000 00200200"
                                "       lo\n",
               *of_tap =
                   ADDRESS " 00 " ADDRESS " 00 " ADDRESS " 00000400 00000001 00000000 00000001"
                           "     tap0\n";
    g_autofree char *both = g_strconcat(of_lo, of_tap, NULL);
    g_assert_true(network_has_route6(of_tap));
    g_assert_true(network_has_route6(both));
    g_assert_false(network_has_route6(of_lo));
    g_assert_false(network_has_route6("\n"));
    g_assert_false(network_has_route6(""));
}

static void unknown(void)
{
    g_assert_false(network_is_lost(0));
    g_assert_false(network_is_lost(-1));
    g_assert_false(network_is_lost(G_MAXINT32)); /* no such process */
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/network/version-4", version_4);
    g_test_add_func("/network/version-6", version_6);
    g_test_add_func("/network/unknown", unknown);
    return g_test_run();
}
