/*
 * Whether a running box has lost its network: the program that connects it (pasta or slirp4netns)
 * has ended. Its interface and all routes are gone with it, which the kernel shows for the network
 * namespace of PID 1.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

/* Parse /proc/PID/net/route and ipv6_route: TRUE when there is a route that leads out of the box.
 */
gboolean network_has_route(const char *table);
gboolean network_has_route6(const char *table);

/* TRUE when the box whose PID 1 is INIT, and whose network is "open", has none. FALSE also when
 * that cannot be found out. */
gboolean network_is_lost(pid_t init);
