/*
 * HTTP/2 (RFC 9113) on a connection between a box and a server that both speak it: one session of
 * nghttp2 at each end, and for each stream at one end one at the other. What holds for requests and
 * answers is that of HTTP/1 (exchange_parts.h).
 */
#pragma once

#include <stdbool.h>

#include "host/secrets/exchange_parts.h"

/* Begins with both lines of OF, of which that to the server may be broken. NULL without memory. */
struct h2 *h2_start(exchange *of);
/* Does what can be done now. FALSE: nothing. */
bool h2_step(struct h2 *self);
/* SELF may be NULL. */
void h2_free(struct h2 *self);
