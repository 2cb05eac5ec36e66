#include "ssh-agent/wire/frame.h"

#include <stdlib.h>
#include <string.h>

/* What is held when the rule of ssh_framer_feed() is kept: an unfinished message and a chunk. */
#define HELD_MAX (4 + SSH_FRAME_MAX + SSH_FRAME_CHUNK)
#define LENGTH_SIZE 4

void ssh_framer_clear(struct ssh_framer *self)
{
    free(self->data);
    *self = (struct ssh_framer){0};
}

/* Drops what has been taken; memory is given back when nothing is left. */
static void compact(struct ssh_framer *self)
{
    size_t left = self->length - self->start;
    if (left == 0) {
        free(self->data);
        self->data = NULL;
        self->room = 0;
    } else if (self->start > 0) {
        memmove(self->data, self->data + self->start, left);
    }
    self->length = left;
    self->start = 0;
}

static bool grow(struct ssh_framer *self, size_t need)
{
    size_t room = self->room ? self->room : 512;
    while (room < need)
        room *= 2;
    if (room == self->room)
        return true;
    uint8_t *data = realloc(self->data, room);
    if (!data)
        return false;
    self->data = data;
    self->room = room;
    return true;
}

bool ssh_framer_feed(struct ssh_framer *self, const void *bytes, size_t length)
{
    if (self->failed)
        return false;
    compact(self);
    if (length > SSH_FRAME_CHUNK || self->length + length > HELD_MAX ||
        (length > 0 && !grow(self, self->length + length))) {
        self->failed = true;
        return false;
    }
    if (length > 0)
        memcpy(self->data + self->length, bytes, length);
    self->length += length;
    return true;
}

enum ssh_frame ssh_framer_next(struct ssh_framer *self, struct ssh_span *message)
{
    *message = (struct ssh_span){0};
    if (self->failed)
        return SSH_FRAME_BAD;
    if (self->length - self->start < LENGTH_SIZE) {
        compact(self);
        return SSH_FRAME_NONE;
    }
    struct ssh_span held = {self->data + self->start, self->length - self->start};
    struct ssh_reader reader = ssh_reader_of(held);
    uint32_t length;
    ssh_read_u32(&reader, &length);
    if (length == 0 || length > SSH_FRAME_MAX) {
        self->failed = true;
        return SSH_FRAME_BAD;
    }
    if (!ssh_read_raw(&reader, length, message))
        return SSH_FRAME_NONE;
    self->start += LENGTH_SIZE + length;
    return SSH_FRAME_WHOLE;
}

bool ssh_framer_partial(const struct ssh_framer *self)
{
    return self->length > self->start;
}
