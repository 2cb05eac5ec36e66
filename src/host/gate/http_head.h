/*
 * The head of an HTTP/1 request (RFC 9112): which host it asks, and the head as it is passed on.
 * Plain functions over a buffer, libc only.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "host/gate/head_state.h"
#include "host/gate/http_body.h"
#include "proto/network_rules.h"

/* Most bytes of a head. */
#define HTTP_HEAD_MAX (16 * 1024)
/* What http_head_write() adds at most. */
#define HTTP_HEAD_ADDED 32

struct http_head {
    size_t length; /* bytes up to the end of the empty line */
    char host[HOST_NAME_SIZE];
    uint16_t port; /* of the Host field; 80 when it has none */
    struct http_body body;
};

/* Reads a head at the beginning of DATA. When WRONG, *WHY says what it is not. */
enum head_state http_head_parse(const uint8_t *data, size_t size, struct http_head *head,
                                const char **why);

/*
 * Writes the head of LENGTH bytes at DATA, which was COMPLETE, to OUT, of LENGTH + HTTP_HEAD_ADDED
 * bytes, with "Connection: close" in place of its own fields of the connection. So the client knows
 * that the connection takes one request (RFC 9112, 9.6), and the server switches to no other
 * protocol (RFC 9110, 7.8). Returns its length.
 */
size_t http_head_write(const uint8_t *data, size_t length, char *out);
