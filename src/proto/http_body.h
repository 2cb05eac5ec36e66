/*
 * The body of an HTTP/1 message while it passes (RFC 9112, 6 and 7.1): where it ends. Plain
 * functions over a buffer, libc only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum http_body_kind { BODY_NONE, BODY_LENGTH, BODY_CHUNKED, BODY_UNTIL_CLOSE };

/* None, when all of it is 0. */
struct http_body {
    enum http_body_kind kind;
    uint64_t left; /* of the length, or of a chunk */
    /* Extensions of chunks and trailers are malformed: programs do not send them in requests, and
     * servers disagree about where they end. */
    bool is_plain;
    bool no_extensions; /* those of chunks are malformed: a text in them would not be looked for */
    int part;           /* of the chunked coding */
    size_t line;        /* bytes of a line of it; and of all trailers */
};

/* TRUE when the message is complete. One that lasts until the connection closes never is. */
bool http_body_has_ended(const struct http_body *self);
/*
 * How many bytes at the beginning of DATA, which has at least one, belong together: contents and
 * trailers when *IS_CONTENT, else what frames them. 0 when the message is complete; -1 when the
 * coding is wrong.
 */
ssize_t http_body_next(struct http_body *self, const char *data, size_t size, bool *is_content);
/* How many bytes of DATA belong to the body; -1. */
ssize_t http_body_take(struct http_body *self, const void *data, size_t size);
