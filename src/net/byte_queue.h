/* A queue of bytes with a limit on its size. libc only. */
#pragma once

#include <stddef.h>

/* The default limit. Users stop reading long before a queue is this long. */
#define BYTE_QUEUE_MAX ((size_t)4 << 20)

struct byte_queue {
    unsigned char *data; /* malloc'ed; LENGTH bytes of it are used, of CAPACITY */
    size_t length, capacity;
    size_t limit; /* of LENGTH; 0: BYTE_QUEUE_MAX */
};

/* Appends LENGTH bytes. Returns 0, or -1 when they exceed the limit or memory is short; the queue
 * is then as before. */
int byte_queue_append(struct byte_queue *self, const void *data, size_t length);
/* Makes room for LENGTH more bytes behind the last one. Returns where they go (the caller writes
 * there and then adds to LENGTH), or NULL as above. */
unsigned char *byte_queue_reserve(struct byte_queue *self, size_t length);
/* Removes the first LENGTH bytes. */
void byte_queue_consume(struct byte_queue *self, size_t length);
/* Frees the memory. The queue is then empty, with the usual limit. */
void byte_queue_clear(struct byte_queue *self);
