/*
 * A connection of the box to a host that has a secret, or rules with methods or paths, between the
 * two ends of TLS: each request is checked and gets the secret, and what comes back is searched for
 * it. For the event loop.
 */
#pragma once

#include <stdbool.h>

#include "host/secrets/services.h"

/* Call this first. FALSE after it has printed why not. */
bool exchange_prepare(void);

/* Serves TO by RULES. GATE is the gate's connection, BOX that of the box, SERVER the one to the
 * server. Takes all four. */
void exchange_start(const service *to, struct network_rules *rules, int gate, int box, int server);
