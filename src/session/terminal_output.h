/* What passes the filter of one call. Inline, as it runs for each piece. libc only. */
#pragma once

#include <stdlib.h>
#include <string.h>

struct terminal_output {
    char *data;
    size_t length, room;
};

/* Forgets what was put, and makes room for ROOM bytes. 0: there is no memory. */
static inline int terminal_output_begin(struct terminal_output *self, size_t room)
{
    self->length = 0;
    if (self->room >= room)
        return 1;
    char *data = realloc(self->data, room);
    if (!data)
        return 0;
    self->data = data;
    self->room = room;
    return 1;
}

static inline void terminal_output_put(struct terminal_output *self, const void *data,
                                       size_t length)
{
    if (length > self->room - self->length)
        length = self->room - self->length; /* never: there was room for all that can pass */
    memcpy(self->data + self->length, data, length);
    self->length += length;
}
