/*
 * One end of a connection, with or without TLS: queues of what came and of what is to be sent. It
 * never blocks.
 */
#pragma once

#include <openssl/ssl.h>
#include <stdbool.h>

#include "net/byte_queue.h"
#include "net/event_loop.h"

/* No more is read while so much waits. A head of HTTP_HEAD_MAX fits. */
#define LINE_QUEUE_FULL ((size_t)128 << 10)
/* While so much waits to be sent nothing is added, and no more than this is added at a time. So a
 * peer that does not read costs about twice as much, and there may be a thousand. */
#define LINE_OUT_FULL ((size_t)32 << 10)

/* Protocols that are spoken with TLS, as bits. */
#define TLS_HTTP1 1u
#define TLS_HTTP2 2u

struct tls_line {
    struct event_watch watch;
    SSL *ssl; /* NULL: none */
    /* Which of them the client offers: the box's, once it has said so (has_hello), and we to a
     * server. The handshake of the box's goes on when one is CHOSEN. */
    unsigned offered, chosen;
    bool has_hello;
    struct byte_queue in, out;
    size_t in_full; /* IN may hold so much; 0: LINE_QUEUE_FULL */
    size_t ready;   /* bytes of OUT that may be sent already */
    uint32_t wants; /* what the last calls waited for: EPOLLIN, EPOLLOUT */
    bool has_ended; /* nothing more comes */
    bool was_cut;   /* it ended without the end of TLS: perhaps not where its sender ended it */
    bool is_broken;
};

/* For connections to servers: verifies them with the certificates that this system trusts. NULL
 * after it has printed why not. */
SSL_CTX *tls_line_client(void);
/* Makes CONTEXT, of a server, one for tls_line_accept(). */
void tls_line_prepare(SSL_CTX *context);
/* Begin TLS on the socket of WATCH: as the server that CONTEXT is, or as a client of the server
 * NAME, whose certificate must be for that. False without memory. */
bool tls_line_accept(struct tls_line *self, SSL_CTX *context);
bool tls_line_connect(struct tls_line *self, SSL_CTX *context, const char *name);
/* Before the handshake with a server: what it is offered. False without memory. */
bool tls_line_offer(struct tls_line *self, unsigned protocols);
/* Goes on with the handshake, which else happens with the first byte. TRUE when it is over, or has
 * failed: the line is broken then. */
bool tls_line_handshake(struct tls_line *self);
/* What the server has chosen, after the handshake. */
unsigned tls_line_protocol(const struct tls_line *self);

/* TRUE while as much as may wait to be sent does. */
bool tls_line_is_full(const struct tls_line *self);
/* Gives back the memory of queues that are empty. */
void tls_line_rest(struct tls_line *self);
/* Both return whether anything moved. A broken line moves nothing. */
bool tls_line_read(struct tls_line *self);
bool tls_line_write(struct tls_line *self);

/* Says that nothing more is sent. Once OUT is empty. */
void tls_line_finish(struct tls_line *self);
/* Wipes and frees all, and closes the socket; with RESET its other end gets an error. */
void tls_line_close(struct tls_line *self, bool reset);
