/* The parts of the gate, which main.c starts. */
#pragma once

#include <stdio.h>

#include "host/gate/box_network.h"
#include "proto/network_rules.h"

/*
 * ask.c: the questions to the user about names that no rule has (ask_table.h says which are asked):
 * each by a litterbox-gate-asker, which a launcher starts that was forked before the gate gave up
 * its rights. An answer that lasts comes as a rule, when the gate reads its rules again. libc only.
 */

/* Forks the launcher. The askers get the box's runtime FOLDER, its PROJECT and its PID 1, RUN, all
 * of which are kept. Returns the socket to it, or -1 with errno. */
int asking_fork_launcher(const char *folder, const char *project, const char *run);

/* Asks through LAUNCHER; -1: never. RULES are kept. */
void asking_start(const struct network_rules *rules, int launcher);

/* The contents of RULES have changed: withdraws the questions that they answer. Call it after the
 * connections were told. */
void asking_check_rules(void);

/*
 * connections.c: the connections of a box that the gate carries: decides by name and port whether
 * one may be, on ports 443 and 80 by what its first bytes say as well, dials the real address, and
 * relays. For the event loop of the process. libc only.
 */

/* Accepts connections from NETWORK's listeners: so many at a time as RULES say now; fewer when
 * RLIMIT_NOFILE is low. More wait in the kernel. RULES and NETWORK are kept. */
void connections_start(const struct network_rules *rules, struct box_network *network);

/* Writes those that are open (GATE_LIST_CONNECTIONS), the newest first. */
void connections_list(FILE *out);

/* The process is about to end: records those that are open, and all that is counted. */
void connections_record(void);

/* The contents of RULES have changed: ends the connections that they no longer allow. */
void connections_check_rules(void);

/*
 * control_socket.c: the socket at which `box` asks the gate (enum gate_request): a byte comes, an
 * answer of any length goes back, and the connection ends. The other end is a process of the user,
 * which may stop or die; it gets a few seconds. For the event loop of the process. libc only.
 */

/* Clients at a time; more wait in the kernel. */
#define CONTROL_CLIENTS_MAX 8
#define CONTROL_CLIENT_MS 5000

/*
 * Serves the listener FD. ANSWER writes the answer to REQUEST to OUT, a stream in memory. ANSWERED
 * is called when a connection has ended, answered or not. Returns 0, or -1 with errno.
 */
int control_socket_start(int fd, void (*answer)(int request, FILE *out), void (*answered)(void));

/*
 * dns_server.c: the DNS server of a box: gives names that a rule allows, or that the user will be
 * asked about, their addresses (fake_names.h), and knows no other name. It decides by the rules
 * alone: nothing that a box asks goes anywhere else. For the event loop of the process. libc only.
 */

/* UDP and TCP: its sockets. RULES are kept. */
void dns_server_start(const struct network_rules *rules, int udp, int tcp);
