/* Addresses of D-Bus buses, as variables of the user's environment name them. */
#pragma once

#include <glib.h>

/* TRUE when ADDRESSES are sockets and nothing else: "unixexec:" is the address of a program, which
 * is run by who connects, and the environment may come from a shell in a project's folder. */
gboolean bus_address_is_plain(const char *addresses);
