/*
 * Where the body of an HTTP/1 request ends (RFC 9112, 6 and 7.1). Plain functions over a buffer,
 * libc only.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* No body, when all of it is 0. */
struct http_body {
    enum http_body_part {
        BODY_END,
        BODY_DATA, /* LEFT bytes of it */
        /* Of a chunked one, what comes next: */
        BODY_CHUNK_DATA, /* LEFT bytes of it */
        BODY_CHUNK_CR,
        BODY_CHUNK_LF,
        BODY_SIZE, /* its first digit */
        BODY_SIZE_MORE,
        BODY_SIZE_LF,
        BODY_LAST_CR,
        BODY_LAST_LF,
    } part;
    uint64_t left;
};

/*
 * Goes on with LENGTH bytes at DATA. Returns how many of them belong to the body; -1 when it is
 * malformed. Extensions of chunks and trailers are, too: programs do not send them, and servers
 * disagree about where they end.
 */
ssize_t http_body_take(struct http_body *self, const void *data, size_t length);
