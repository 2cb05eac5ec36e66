/*
 * Hosts that get a secret of the box, or have rules with methods or paths. Their connections go to
 * litterbox-secrets, with one to the server: this process has no secret, and that one no network.
 * libc only.
 */
#pragma once

#include <stdbool.h>

#include "proto/secret_files.h"

/* Reads SECRETS_HOSTS in FOLDER, the box's runtime folder; again after a change. A missing file has
 * none. 0; or -1 when it is broken: then those that were read before hold. */
int secret_routes_load(const char *folder);
/* Where NAME and PORT lead; NULL: there is no secret for it. Until the next load. */
const struct secret_route *secret_routes_find(const char *name, uint16_t port);
/* Hands the sockets BOX and SERVER of ROUTE over to who is at the other end of LINE, with those
 * of RULES that are for its requests; they stay open here, too. LINE is then open as long as the
 * connection is, and ends it when it is closed. 0; -1 when litterbox-secrets has ended, or the
 * rules are too many. */
int secret_routes_hand_over(int line, const struct network_rules *rules,
                            const struct secret_route *route, int box, int server);
