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
