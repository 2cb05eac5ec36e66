/*
 * The parts of exchange.c: what it does with requests, and with answers.
 */
#pragma once

#include "host/secrets/request_signature.h"
#include "host/secrets/response_guard.h"
#include "host/secrets/services.h"
#include "host/secrets/tls_line.h"
#include "proto/network_requests.h"

enum phase {
    PHASE_HTTP,
    PHASE_RAW,     /* another protocol, after 101 */
    PHASE_CLOSING, /* what is queued for the box is sent, and nothing else */
    PHASE_DRAINING /* waits until the box has read it */
};

typedef struct {
    const service *service;
    struct network_rules rules; /* for its requests; none: every one may pass */
    struct event_watch gate;
    struct tls_line box, server;
    struct event_timer timer, again;
    enum phase phase;
    struct http_message request; /* the last one */
    struct http_body request_body, response_body;
    bool has_begun;                    /* something was sent to the server */
    bool awaits_response, in_response; /* its head was passed on */
    const held_secret *used;           /* put in last, for the record; NULL: none */
    size_t held;                       /* bytes of a body that waits for its end */
    bool has_warned;                   /* the log says so */
    struct value_search *strays;       /* placeholders in bodies, by secret */
    response_guard guard;
    guint64 sent, received;         /* bytes of the box, and for it */
    struct request_refusal refusal; /* of the last request */
} exchange;

/* The log; it names the host. */
void exchange_say(const exchange *self, const char *what, const char *why);
/* Nothing more is asked of the server. */
void exchange_close_after_flush(exchange *self);
/* Answers in place of the server; once that has begun to, the connection is cut instead. */
void exchange_answer(exchange *self, unsigned status, const char *why);
void exchange_end_response(exchange *self);

/* What the last request, which may pass, needs to be signed anew. */
enum signing {
    SIGNING_READY,  /* or it is not signed */
    SIGNING_WAITS,  /* for the body */
    SIGNING_REFUSED /* was answered */
};
enum signing exchange_read_signature(exchange *self, request_signature *signature);
/* The body that was waited for has passed, or will not. */
void exchange_release_body(exchange *self);

/* Each does one thing with what has come; FALSE: there is nothing to do. */
bool exchange_step_requests(exchange *self);
bool exchange_step_responses(exchange *self);
