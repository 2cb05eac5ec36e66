#include "net/byte_queue.h"

#include <stdlib.h>
#include <string.h>

#define ROUND ((size_t)4096)

unsigned char *byte_queue_reserve(struct byte_queue *self, size_t length)
{
    size_t limit = self->limit ? self->limit : BYTE_QUEUE_MAX;
    if (length > limit - self->length)
        return NULL;
    size_t needed = self->length + length;
    if (needed > self->capacity) {
        size_t capacity = (needed + needed / 2 + ROUND) / ROUND * ROUND;
        unsigned char *data = realloc(self->data, capacity);
        if (!data)
            return NULL;
        self->data = data;
        self->capacity = capacity;
    }
    return self->data + self->length;
}

int byte_queue_append(struct byte_queue *self, const void *data, size_t length)
{
    if (length == 0)
        return 0;
    unsigned char *at = byte_queue_reserve(self, length);
    if (!at)
        return -1;
    memcpy(at, data, length);
    self->length += length;
    return 0;
}

void byte_queue_consume(struct byte_queue *self, size_t length)
{
    self->length -= length;
    if (self->length > 0)
        memmove(self->data, self->data + length, self->length);
}

void byte_queue_clear(struct byte_queue *self)
{
    free(self->data);
    *self = (struct byte_queue){0};
}
