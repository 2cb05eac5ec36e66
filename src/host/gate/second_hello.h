/*
 * A second ClientHello. A server of TLS 1.3 may ask for one (HelloRetryRequest: RFC 8446, 4.1.4),
 * and some, as those with OpenSSL, then go by the server name in that one. So what both sides say
 * is looked at until it is certain that no server takes another. Plain functions over a buffer,
 * libc only.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "host/gate/tls_records.h"

/* Up to the server's random number. */
#define SERVER_HELLO_START (4 + 2 + 32)

/* All 0 when a ClientHello begins to pass. */
struct second_hello {
    enum {
        HELLO_UNANSWERED, /* none may follow yet */
        HELLO_ASKED,      /* the server has asked for a second one */
        HELLO_TAKEN,      /* or has answered in another way, and takes none any more */
    } state;
    struct tls_records box, server;
    uint8_t answer[SERVER_HELLO_START];
    size_t answered; /* bytes of it */
    unsigned pieces; /* of the second one, so far */
};

/* Most pieces of a second ClientHello. Each is parsed together with those before it, so a box could
 * keep the gate busy with tiny ones. A client that sends single bytes needs some 2,000. */
#define SECOND_HELLO_PIECES 4096

/* The server has sent SIZE bytes of DATA. */
void second_hello_hear(struct second_hello *self, const uint8_t *data, size_t size);
