/*
 * The addresses and routes of a box's network, set in the namespace that the caller is in, with its
 * capabilities there (rtnetlink(7), netdevice(7)).
 */
#pragma once

#include "proto/network_rules.h"

/* These return 0, or -1 with errno. */
int box_addresses_raise_loopback(void);
/* Makes the fake network, the DNS server's address and the networks of RULES local. What is there
 * already stays. */
int box_addresses_add(const struct network_rules *rules);

/*
 * True when an interface is up that is not loopback, and no earlier gate has set this namespace up:
 * nothing would filter it. Later the box may have made interfaces of its own, which lead nowhere.
 */
bool box_addresses_has_other_network(void);
