/* The redirect of a box's connections, made with nft(8) in the network namespace of the caller,
 * who needs CAP_NET_ADMIN there. libc only. */
#pragma once

#include "proto/network_rules.h"

/* Leads connections that RULES may allow to ADDRESS and its port, instead of what an earlier call
 * has made. 0, or -1: nft is missing or cannot do it. */
int nft_redirect(const struct network_rules *rules, const struct sockaddr_in *address);
