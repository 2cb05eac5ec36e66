#include <string.h>

#include "guest/portal/wire.h"
#include "guest/portal/wire_type.h"

/* COUNT bytes that begin where ALIGNMENT divides; NULL, and a mark, when they are not there. */
static const uint8_t *take(struct wire_in *self, size_t alignment, size_t count)
{
    size_t begin = wire_align(self->at, alignment);
    if (self->wrong || begin > self->length || count > self->length - begin) {
        self->wrong = 1;
        return NULL;
    }
    self->at = begin + count;
    return self->data + begin;
}

uint8_t wire_get_byte(struct wire_in *self)
{
    const uint8_t *byte = take(self, 1, 1);
    return byte ? *byte : 0;
}

uint32_t wire_get_u32(struct wire_in *self)
{
    uint32_t value = 0;
    const uint8_t *bytes = take(self, 4, 4);
    if (bytes)
        memcpy(&value, bytes, sizeof value);
    return self->swap ? __builtin_bswap32(value) : value;
}

/* LENGTH bytes and the NUL behind them, with none in between. */
static const char *take_text(struct wire_in *self, size_t length)
{
    const char *text = (const char *)take(self, 1, length + 1);
    if (text && memchr(text, '\0', length + 1) == text + length)
        return text;
    self->wrong = 1;
    return "";
}

const char *wire_get_string(struct wire_in *self)
{
    return take_text(self, wire_get_u32(self));
}

const char *wire_get_signature(struct wire_in *self)
{
    return take_text(self, wire_get_byte(self));
}

void wire_get_struct(struct wire_in *self)
{
    take(self, 8, 0);
}

size_t wire_get_array(struct wire_in *self, char element)
{
    uint32_t length = wire_get_u32(self);
    take(self, wire_alignment(element), 0);
    if (self->wrong || length > self->length - self->at) {
        self->wrong = 1;
        return self->at;
    }
    return self->at + length;
}

static void skip(struct wire_in *self, const char *type, int depth);

static void skip_variant(struct wire_in *self, int depth)
{
    const char *type = wire_get_signature(self);
    const char *end = wire_type_end(type);
    if (end && !*end)
        skip(self, type, depth + 1);
    else
        self->wrong = 1;
}

/* A struct, or a dict entry, whose members follow each other up to its bracket. */
static void skip_members(struct wire_in *self, const char *type, int depth)
{
    wire_get_struct(self);
    for (type++; *type != ')' && *type != '}' && !self->wrong; type = wire_type_end(type))
        skip(self, type, depth + 1);
}

/* TYPE is known to be whole. */
static void skip(struct wire_in *self, const char *type, int depth)
{
    if (depth > WIRE_DEPTH_MAX)
        self->wrong = 1;
    else if (*type == 'v')
        skip_variant(self, depth);
    else if (*type == '(' || *type == '{')
        skip_members(self, type, depth);
    else if (*type == 'a')
        self->at = wire_get_array(self, type[1]);
    else if (*type == 's' || *type == 'o')
        wire_get_string(self);
    else if (*type == 'g')
        wire_get_signature(self);
    else
        take(self, wire_alignment(*type), wire_alignment(*type));
}

void wire_skip(struct wire_in *self, const char *type)
{
    if (wire_type_end(type))
        skip(self, type, 0);
    else
        self->wrong = 1;
}

static const char **wish_for(struct wire_wish *wishes, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(wishes[i].key, key) == 0)
            return &wishes[i].value;
    return NULL;
}

void wire_get_options(struct wire_in *self, struct wire_wish *wishes, size_t count)
{
    size_t end = wire_get_array(self, '{');
    while (self->at < end && !self->wrong) {
        wire_get_struct(self);
        const char **value = wish_for(wishes, count, wire_get_string(self));
        const char *type = wire_get_signature(self);
        const char *type_end = wire_type_end(type);
        if (!type_end || *type_end)
            self->wrong = 1;
        else if (value && strcmp(type, "s") == 0)
            *value = wire_get_string(self);
        else
            skip(self, type, 0);
    }
    self->wrong |= self->at > end;
}
