/*
 * The first message of a TLS client (RFC 8446, 4.1.2; RFC 6066, 3): which server it asks for; and
 * whether it may ask again. Plain functions over a buffer, libc only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/head_state.h"
#include "proto/network_rules.h"

/* Most bytes of the message with its records. */
#define CLIENT_HELLO_MAX (64 * 1024)

struct client_hello {
    char name[HOST_NAME_SIZE]; /* of its server_name extension, normalised */
    bool is_encrypted;         /* has another ClientHello in it, which only the server can read */
    size_t size;               /* of its records */
};

/* Reads a ClientHello at the beginning of DATA, in one or more records of its own. When WRONG, *WHY
 * says what it is not; among others when it has no name. */
enum head_state client_hello_parse(const uint8_t *data, size_t size, struct client_hello *hello,
                                   const char **why);

/* Records of TLS that pass in pieces of any size. */

#define TLS_RECORD_HEADER 5
/* RFC 8446, 5.1. */
enum tls_record { TLS_CHANGE_CIPHER = 20, TLS_ALERT = 21, TLS_HANDSHAKE = 22 };

/* One side of a connection; all 0 at its first record. */
struct tls_records {
    uint8_t header[TLS_RECORD_HEADER];
    size_t seen; /* bytes of the header */
    size_t left; /* of the contents behind it */
};

/* How many bytes at the beginning of DATA, which has at least one, are of one record's header, or
 * of its contents. *OF_HANDSHAKE: they are of the kind that a ClientHello is in. */
size_t tls_records_next(struct tls_records *self, const uint8_t *data, size_t size,
                        bool *of_handshake);

/*
 * A second ClientHello. A server of TLS 1.3 may ask for one (HelloRetryRequest: RFC 8446, 4.1.4),
 * and some, as those with OpenSSL, then go by the server name in that one. So what both sides say
 * is looked at until it is certain that no server takes another.
 */

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
