/*
 * The parts of exchange.c: what it does with requests, and with answers.
 */
#pragma once

#include <stdbool.h>

#include "host/secrets/request_signature.h"
#include "host/secrets/response_guard.h"
#include "host/secrets/services.h"
#include "host/secrets/tls_line.h"
#include "proto/network_requests.h"

enum phase {
    PHASE_HELLO, /* what is spoken is not known yet */
    PHASE_HTTP,
    PHASE_H2,      /* HTTP/2 */
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
    struct token_flow *tokens;         /* an answer of a token endpoint is waited for; or NULL */
    bool waits_for_lock;               /* of a login, before that */
    bool has_warned;                   /* the log says so */
    struct value_search *strays;       /* placeholders in bodies, by secret */
    response_guard guard;
    struct h2 *h2;                  /* instead of all that is of a request, in PHASE_H2 */
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
/* Answers with STATUS and TEXT in place of the server; ENDS: and nothing more. */
void exchange_write_answer(exchange *self, unsigned status, const char *type, const char *text,
                           size_t length, bool ends);

/* Queues bytes for the server. */
void exchange_pass_to_server(exchange *self, const void *data, size_t size);
/* Puts the secrets into HEAD and queues it. FALSE: it was refused. */
bool exchange_pass_head(exchange *self, const char *head, size_t length,
                        const request_signature *signature);

/* A record for the gate, which writes the log: REASON "" when all is allowed so far. The last one
 * is that of the connection. */
void exchange_report(const exchange *self, const char *reason);
/* What the server's end says about itself; TEXT is room for it. */
const char *exchange_server_problem(const exchange *self, char text[256]);

/* What holds for a request, whatever speaks it. */

/* What is looked for: placeholders of all secrets in its body, and their values in its answer.
 * MARKS as response_guard_init() has them. FALSE without memory. */
bool exchange_searches_init(struct value_search **strays, response_guard *guard,
                            const char *const *marks);
void exchange_searches_clear(struct value_search **strays, response_guard *guard);
void exchange_look_for_strays(exchange *self, struct value_search *strays, const void *data,
                              size_t size);
/* 0 when REQUEST may pass; else the status of the answer, and WHY. */
unsigned exchange_check_request(const exchange *self, const struct http_message *request,
                                struct request_refusal *refusal, char why[REQUEST_REFUSAL_SIZE]);
/* NULL, or why RESPONSE, the beginning of HEAD, must not pass. */
const char *exchange_refuse_response(const exchange *self, const struct http_message *response,
                                     const void *head);
/* Rewrites its HEAD, with SIGNATURE, for which GUARD looks then. The same. */
unsigned exchange_rewrite(exchange *self, const char *head, size_t length,
                          const request_signature *signature, response_guard *guard, rewritten *new,
                          char why[REQUEST_REFUSAL_SIZE]);

/* What the last request, which may pass, needs to be signed anew. */
enum signing {
    SIGNING_READY,  /* or it is not signed */
    SIGNING_WAITS,  /* for the body */
    SIGNING_REFUSED /* was answered */
};
enum signing exchange_read_signature(exchange *self, request_signature *signature);
/* Most bytes of a body that is held. Bedrock takes 25 MB. */
#define BODY_MAX ((size_t)32 << 20)
#define BODY_TOO_LONG "a body of more than 32 MiB needs an X-Amz-Content-Sha256 to be signed"
#define BODIES_TOO_MANY "too many bodies are held"
#define NO_MEMORY "this machine has no memory for it"
/* FALSE: SIZE more bytes of bodies are too many for all connections together. */
bool exchange_hold(size_t size);
void exchange_let_go(size_t size);
/* Waits for the body. It is refused as CHUNKED where it is that, and as LARGE with more than MOST
 * bytes. */
enum signing exchange_hold_body(exchange *self, size_t most, const char *chunked,
                                const char *large);
/* The body that was waited for has passed, or will not. */
void exchange_release_body(exchange *self);

/* Each does one thing with what has come; FALSE: there is nothing to do. */
bool exchange_step_requests(exchange *self);
bool exchange_step_responses(exchange *self);

/*
 * exchange_tokens.c: logins (login.h) in an exchange: what a box asks of the hosts of a login, and
 * of its token endpoint above all. The answer of that is token_answer.h's.
 */

/* What only a token has, for a host that answers with nothing else that has it; NULL. */
const char *const *exchange_marks(const exchange *self);
/* What the last request is for. */
enum login_place exchange_place(const exchange *self);

/* Does what the last request asks for PLACE, which is neither LOGIN_ELSEWHERE nor LOGIN_API. FALSE:
 * it waits. */
bool exchange_step_login(exchange *self, enum login_place place);
/* The lock of the login has been waited for (`waits_for_lock`) long enough: answers. */
void exchange_end_wait(exchange *self);

/*
 * h2.c: HTTP/2 (RFC 9113) on a connection between a box and a server that both speak it: one
 * session of nghttp2 at each end, and for each stream at one end one at the other. What holds for
 * requests and answers is that of HTTP/1 (exchange_parts.h).
 */

/* Begins with both lines of OF, of which that to the server may be broken. NULL without memory. */
struct h2 *h2_start(exchange *of);
/* Does what can be done now. FALSE: nothing. */
bool h2_step(struct h2 *self);
/* SELF may be NULL. */
void h2_free(struct h2 *self);
