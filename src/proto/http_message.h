/*
 * Heads of HTTP/1 messages (RFC 9112), as far as one must understand them to pass them on: where a
 * message ends, and what a request asks. Strict, because a message that we and the server end at
 * different places carries a request that nobody has checked. Plain functions over a buffer, libc
 * only.
 */
#pragma once

#include "proto/head_state.h"
#include "proto/http_body.h"
#include "proto/http_fields.h"

/* Most bytes of a head. */
#define HTTP_HEAD_MAX (64 * 1024)

struct http_message {
    size_t length;         /* of the head, with its empty line */
    struct http_body body; /* before its first byte */
    bool asks_upgrade;
    /* Of a request: */
    bool is_head_request;
    bool asks_trace; /* the answer has the fields of the request (RFC 9110, 9.3.8) */
    /* It has a field such as X-HTTP-Method-Override, by which some servers take another method or
     * path for its own. */
    bool overrides;
    bool reroutes;      /* likewise, and it is more than an upgrade to WebSocket */
    bool asks_continue; /* and sends its body when the answer 100 has come (RFC 9110, 10.1.1) */
    struct http_text method, target; /* in DATA */
    char host[HOST_NAME_SIZE];
    uint16_t port;
    unsigned status; /* of a response */
};

/* Read the head at the beginning of DATA. When WRONG, *WHY says what it is not. PORT: that of a
 * Host without one. */
enum head_state http_read_request(const char *data, size_t size, uint16_t port,
                                  struct http_message *self, const char **why);
/* REQUEST: what it answers. */
enum head_state http_read_response(const char *data, size_t size,
                                   const struct http_message *request, struct http_message *self,
                                   const char **why);
