/*
 * The connections of a box that the gate carries: decides by name and port whether one may be, on
 * ports 443 and 80 by what its first bytes say as well, dials the real address, and relays. For
 * the event loop of the process. libc only.
 */
#pragma once

#include <stdio.h>

#include "host/gate/box_network.h"

/* Connections at a time; fewer when RLIMIT_NOFILE is low. More wait in the kernel. */
#define CONNECTIONS_MAX 1024

/* Accepts connections from NETWORK's listeners. RULES and NETWORK are kept. */
void connections_start(const struct network_rules *rules, struct box_network *network);

/* Writes those that are open (GATE_LIST_CONNECTIONS), the newest first. */
void connections_list(FILE *out);

/* The process is about to end: records those that are open, and all that is counted. */
void connections_record(void);

/* The contents of RULES have changed: ends the connections that they no longer allow. */
void connections_check_rules(void);
