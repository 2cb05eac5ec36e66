/*
 * The parts of h2.c: streams, what it does with requests, and with answers.
 *
 * A box that does not read makes no memory grow: what one end may send in a stream is what the
 * other end has taken (flow control, RFC 9113, 5.2), and no session gets more to read while too
 * many of its own frames wait.
 */
#pragma once

#include <nghttp2/nghttp2.h>

#include "host/secrets/exchange_parts.h"
#include "host/secrets/h2_head.h"

/* Of a connection; and of all. */
#define H2_STREAMS_MAX 100
#define H2_STREAMS_OF_ALL 1024
/* Requests of a connection that wait until the server takes one more. nghttp2 keeps those that the
 * box has given up meanwhile, too. */
#define H2_WAITING_MAX 256

enum h2_end { AT_BOX, AT_SERVER };

struct h2 {
    exchange *of;
    struct h2_session {
        struct h2 *of;
        enum h2_end end;
        nghttp2_session *session; /* NULL: the server is gone */
        GHashTable *streams;      /* by their id there */
        size_t taken;             /* of what has come, in this step */
    } at[2];
    secret *coded; /* what was sent last, in place of a secret's value; NULL: nothing else */
    unsigned refusals;
    unsigned waiting; /* requests that were not sent yet */
};

/* What passes to one end. */
struct h2_flow {
    struct byte_queue data;
    size_t start, ready;  /* before START it was sent, before READY it may be */
    GByteArray *trailers; /* behind it; NULL: none */
    bool has_ended;       /* all has come */
    bool was_sent;        /* all of it */
    bool is_dropped;      /* what still comes is not passed on */
    bool waits;           /* to be resumed */
    bool is_counted;      /* something may still come for it */
    bool is_wide;         /* more of it may be on its way than usual */
    uint64_t total;
};

typedef struct h2_stream {
    struct h2 *of;
    int32_t id[2];        /* 0: not there, or not any more */
    h2_head head[2];      /* that comes from there */
    struct h2_flow to[2]; /* the body of the answer, of the request */
    GByteArray *text;     /* of the request's head */
    struct http_message request;
    struct value_search *strays;
    response_guard guard;
    struct request_refusal refusal;
    bool is_reset[2];
    bool is_grpc;
    bool has_answer; /* its head was passed on */
    bool is_refused; /* by us: what the server says does not count */
    bool is_held;    /* the body waits, or has waited, for its end */
    size_t held;     /* bytes of it */
    uint32_t error;  /* with which the server has ended it */
} h2_stream;

/* h2.c: the box is told to use another connection for what it has not asked yet. */
void h2_go_away(struct h2 *self);

/* h2_stream.c */

/* A stream that the box has begun. NULL: there are too many. */
h2_stream *h2_stream_new(struct h2 *of, int32_t id);
/* It is at END with ID now. */
void h2_stream_open(h2_stream *self, enum h2_end end, int32_t id);
/* It is not at END any more, for the reason of CODE. Frees it when it is nowhere. */
void h2_stream_closed(h2_stream *self, enum h2_end end, uint32_t code);
void h2_stream_free(h2_stream *self);
/* Nothing comes for END any more, not even the end. */
void h2_stream_expects_nothing(h2_stream *self, enum h2_end end);
/* Ends it there. Not a byte more of what has come for it is sent. */
void h2_stream_reset(h2_stream *self, enum h2_end end, uint32_t code);
/* Sends what has come for END, as far as it may go. */
void h2_stream_resume(h2_stream *self, enum h2_end end);
/* Appends to what goes to END. FALSE: it is dropped. */
bool h2_stream_append(h2_stream *self, enum h2_end end, const void *data, size_t size);
/* The end of the stream was sent to END. */
void h2_stream_sent(h2_stream *self, enum h2_end end);
extern const nghttp2_data_provider h2_stream_data;

/* A head as nghttp2 wants it, in memory of TEXT. IS_SECRET: HPACK does not keep it. */
GArray *h2_stream_fields(enum h2_kind kind, const GByteArray *text, bool is_secret);

/* h2_requests.c, h2_answers.c: a head has come, with or without the end of the stream; a part of
 * the body; and its end. */
void h2_request_head(h2_stream *self, bool has_ended);
void h2_request_body(h2_stream *self, const void *data, size_t size);
void h2_request_end(h2_stream *self);
void h2_answer_head(h2_stream *self, bool has_ended);
void h2_answer_body(h2_stream *self, const void *data, size_t size);
void h2_answer_end(h2_stream *self);
/* Answers in place of the server; or ends the stream, when that has begun to. */
void h2_refuse(h2_stream *self, unsigned status, const char *why);
/* For the log: a stream was refused. REASON: for that of the network; NULL: nothing. */
void h2_note_refusal(struct h2 *self, const char *reason, const char *why);
