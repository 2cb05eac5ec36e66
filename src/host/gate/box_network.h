/*
 * The network of a box with mode "filtered", which has a loopback interface alone: what makes the
 * connections of its programs reach the gate.
 *
 * A forked child enters the box's user and network namespace, and ends when it is set up: no
 * process, file or capability of ours stays in the box. The kernel has
 *
 * - the addresses that names and rules stand for as local ones (AnyIP: a route of type "local");
 * - the DNS server's sockets;
 * - a rule of nftables that leads connections to these addresses, on ports of the rules, to a
 *   listener of each family; on every port of names when those without a rule are not just refused.
 *   Without nft, a listener on each of these ports (of names without a rule: 443, 80, 22), which
 *   programs of the box then cannot use themselves.
 *
 * What no rule names is refused by the kernel (ECONNREFUSED, ENETUNREACH). libc only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "proto/network_rules.h"

/* Most ports of all rules where there is no nft. */
#define BOX_LISTENERS_MAX 64

struct box_network {
    int dns_udp, dns_tcp;
    int listeners[BOX_LISTENERS_MAX];
    size_t n_listeners;
    int diag;           /* of socket_diag.h, there; -1: the kernel has none */
    bool is_redirected; /* by nft */
};

/* Sets the network up for RULES, again after an earlier gate was killed. BOX is a pidfd of the
 * box's PID 1. DNS is the dns_udp of such a gate, which becomes that of NETWORK; -1: there is none.
 * The caller has one thread. 0, or -1 after it has printed why not. */
int box_network_arm(int box, const struct network_rules *rules, int dns,
                    struct box_network *network);

/* TRUE when NETWORK, as it was made for ARMED, leads everything to the gate that WANTED may let
 * through or ask about. */
bool box_network_serves(const struct box_network *network, const struct network_rules *armed,
                        const struct network_rules *wanted);

/* Where the box's program wanted to connect to, with an IPv4 address mapped. 0, or -1 when it
 * dialled no address that stands for anything, such as the listener itself. */
int box_network_destination(const struct box_network *network, int connection,
                            struct sockaddr_in6 *destination);

/*
 * box_addresses.c: the addresses and routes of a box's network, set in the namespace that the
 * caller is in, with its capabilities there (rtnetlink(7), netdevice(7)).
 */

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

/* nft.c: the redirect of a box's connections, made with nft(8) in the network namespace of the
 * caller, who needs CAP_NET_ADMIN there. libc only. */

/* Leads connections that RULES may allow to ports of FAKE_SERVER and of ::1, instead of what an
 * earlier call has made. V6: -1 when RULES have no IPv6. 0, or -1: nft is missing or cannot do it.
 */
int nft_redirect(const struct network_rules *rules, int v4, int v6);
