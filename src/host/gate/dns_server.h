/*
 * The DNS server of a box: gives names that a rule allows, or that the user will be asked about,
 * their addresses (fake_names.h), and knows no other name. It decides by the rules alone: nothing
 * that a box asks goes anywhere else.
 * For the event loop of the process. libc only.
 */
#pragma once

#include "proto/network_rules.h"

/* UDP and TCP: its sockets. RULES are kept. */
void dns_server_start(const struct network_rules *rules, int udp, int tcp);
