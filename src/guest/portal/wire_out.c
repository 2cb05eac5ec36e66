#include <string.h>

#include "guest/portal/wire.h"
#include "guest/portal/wire_type.h"

/* Room for COUNT bytes that begin where ALIGNMENT divides; NULL, and a mark, when there is none. */
static uint8_t *room(struct wire_out *self, size_t alignment, size_t count)
{
    size_t begin = wire_align(self->length, alignment);
    if (self->full || begin > WIRE_OUT_MAX || count > WIRE_OUT_MAX - begin) {
        self->full = 1;
        return NULL;
    }
    memset(self->data + self->length, 0, begin - self->length);
    self->length = begin + count;
    return self->data + begin;
}

static void put(struct wire_out *self, size_t alignment, const void *data, size_t count)
{
    uint8_t *to = room(self, alignment, count);
    if (to)
        memcpy(to, data, count);
}

void wire_put_byte(struct wire_out *self, uint8_t value)
{
    put(self, 1, &value, 1);
}

void wire_put_u32(struct wire_out *self, uint32_t value)
{
    put(self, 4, &value, sizeof value);
}

void wire_put_string(struct wire_out *self, const char *value)
{
    size_t length = strlen(value);
    wire_put_u32(self, (uint32_t)length);
    put(self, 1, value, length + 1);
}

void wire_put_signature(struct wire_out *self, const char *value)
{
    size_t length = strlen(value);
    if (length > WIRE_SIGNATURE_MAX) {
        self->full = 1;
        return;
    }
    wire_put_byte(self, (uint8_t)length);
    put(self, 1, value, length + 1);
}

void wire_put_struct(struct wire_out *self)
{
    room(self, 8, 0);
}

size_t wire_begin_array(struct wire_out *self, char element)
{
    wire_put_u32(self, 0);
    size_t place = self->length - sizeof(uint32_t);
    room(self, wire_alignment(element), 0);
    return place;
}

void wire_end_array(struct wire_out *self, size_t place, char element)
{
    if (self->full)
        return;
    size_t begin = wire_align(place + sizeof(uint32_t), wire_alignment(element));
    wire_set_u32(self, place, (uint32_t)(self->length - begin));
}

void wire_set_u32(struct wire_out *self, size_t place, uint32_t value)
{
    if (!self->full)
        memcpy(self->data + place, &value, sizeof value);
}
