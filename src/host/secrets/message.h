/*
 * Messages of HTTP/1 (RFC 9112), as far as one must understand them to pass them on: where a
 * message ends, and what a request asks. Strict, because a message that we and the server end at
 * different places carries a request that nobody has checked. Plain functions over a buffer, libc
 * only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "host/gate/head_state.h"
#include "proto/network_rules.h"

/* Most bytes of a head. */
#define MESSAGE_HEAD_MAX (64 * 1024)

enum message_body_kind { BODY_NONE, BODY_LENGTH, BODY_CHUNKED, BODY_UNTIL_CLOSE };

struct message {
    size_t length; /* of the head, with its empty line */
    enum message_body_kind body;
    uint64_t body_length;
    bool asks_upgrade;
    /* Of a request: */
    bool is_head_request;
    char host[HOST_NAME_SIZE];
    uint16_t port;
    /* Of a response; of a request that is WRONG: the status to answer with. */
    unsigned status;
};

/* Read the head at the beginning of DATA. When WRONG, *WHY says what it is not. PORT: that of a
 * Host without one. */
enum head_state message_read_request(const char *data, size_t size, uint16_t port,
                                     struct message *self, const char **why);
/* REQUEST: what it answers. */
enum head_state message_read_response(const char *data, size_t size, const struct message *request,
                                      struct message *self, const char **why);

/* The body of a message while it passes. All zero: there is none. */
struct message_body {
    enum message_body_kind kind;
    uint64_t left; /* of the length, or of a chunk */
    int part;      /* of the chunked coding */
    size_t line;   /* bytes of a line of it; and of all trailers */
};

void message_body_start(struct message_body *self, const struct message *message);
/* TRUE when the message is complete. One that lasts until the connection closes never is. */
bool message_body_has_ended(const struct message_body *self);
/*
 * How many bytes at the beginning of DATA, which has at least one, belong together: contents and
 * trailers when *IS_CONTENT, else what frames them. 0 when the message is complete; -1 when the
 * coding is wrong.
 */
ssize_t message_body_next(struct message_body *self, const char *data, size_t size,
                          bool *is_content);
