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

struct tls_line {
    struct event_watch watch;
    SSL *ssl; /* NULL: none */
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
/* Begin TLS on the socket of WATCH: as the server that CONTEXT is, or as a client of the server
 * NAME, whose certificate must be for that. False without memory. */
bool tls_line_accept(struct tls_line *self, SSL_CTX *context);
bool tls_line_connect(struct tls_line *self, SSL_CTX *context, const char *name);

/* Both return whether anything moved. A broken line moves nothing. */
bool tls_line_read(struct tls_line *self);
bool tls_line_write(struct tls_line *self);

/* Says that nothing more is sent. Once OUT is empty. */
void tls_line_finish(struct tls_line *self);
/* Wipes and frees all, and closes the socket; with RESET its other end gets an error. */
void tls_line_close(struct tls_line *self, bool reset);
