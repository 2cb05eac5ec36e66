/* The redirect of a box's connections, made with nft(8) in the network namespace of the caller,
 * who needs CAP_NET_ADMIN there. libc only. */
#pragma once

#include "proto/network_rules.h"

/* Leads connections that RULES may allow to ports of FAKE_SERVER and of ::1, instead of what an
 * earlier call has made. V6: -1 when RULES have no IPv6. 0, or -1: nft is missing or cannot do it.
 */
int nft_redirect(const struct network_rules *rules, int v4, int v6);
