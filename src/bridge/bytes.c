#include "bridge/bytes.h"

#include <stdlib.h>
#include <string.h>

#define STEP ((size_t)4096)

unsigned char *bytes_room(struct bytes *self, size_t length)
{
    size_t most = self->most ? self->most : BYTES_MAX;
    if (length > most - self->length)
        return NULL;
    size_t needed = self->length + length;
    if (needed > self->room) {
        size_t room = (needed + needed / 2 + STEP) / STEP * STEP;
        unsigned char *data = realloc(self->data, room);
        if (!data)
            return NULL;
        self->data = data;
        self->room = room;
    }
    return self->data + self->length;
}

int bytes_add(struct bytes *self, const void *data, size_t length)
{
    if (length == 0)
        return 0;
    unsigned char *at = bytes_room(self, length);
    if (!at)
        return -1;
    memcpy(at, data, length);
    self->length += length;
    return 0;
}

void bytes_drop(struct bytes *self, size_t length)
{
    self->length -= length;
    if (self->length > 0)
        memmove(self->data, self->data + length, self->length);
}

void bytes_clear(struct bytes *self)
{
    free(self->data);
    *self = (struct bytes){0};
}
