/* The head of an HTTP/1 request (proto/http_message.h) as it is passed on. A plain function over a
 * buffer, libc only. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* What http_head_write() adds at most. */
#define HTTP_HEAD_ADDED 32

/*
 * Writes the head of LENGTH bytes at DATA, which was COMPLETE, to OUT, of LENGTH + HTTP_HEAD_ADDED
 * bytes, with "Connection: close" in place of its own fields of the connection. So the client knows
 * that the connection takes one request (RFC 9112, 9.6), and the server switches to no other
 * protocol (RFC 9110, 7.8). Returns its length.
 */
size_t http_head_write(const uint8_t *data, size_t length, char *out);
