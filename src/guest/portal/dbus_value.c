#include "guest/portal/dbus.h"

#include <string.h>

/* The alignment of a value of TYPE; for types other than containers and texts also its size. 0:
 * there is no such type. */
static size_t dbus_alignment(char type)
{
    switch (type) {
    case 'y':
    case 'g':
    case 'v':
        return 1;
    case 'n':
    case 'q':
        return 2;
    case 'b':
    case 'i':
    case 'u':
    case 'h':
    case 's':
    case 'o':
    case 'a':
        return 4;
    case 'x':
    case 't':
    case 'd':
    case '(':
    case '{':
        return 8;
    default:
        return 0;
    }
}

static const char *type_end(const char *type, int depth);

/* Points behind the bracket CLOSING, before which there must be at least one type. */
static const char *members_end(const char *type, char closing, int depth)
{
    do
        type = type_end(type, depth);
    while (type && *type != closing);
    return type ? type + 1 : NULL;
}

static const char *type_end(const char *type, int depth)
{
    if (depth > DBUS_DEPTH_MAX || !dbus_alignment(*type))
        return NULL;
    switch (*type) {
    case 'a':
        return type_end(type + 1, depth + 1);
    case '(':
        return members_end(type + 1, ')', depth + 1);
    case '{':
        return members_end(type + 1, '}', depth + 1);
    default:
        return type + 1;
    }
}

const char *dbus_type_end(const char *type)
{
    return type_end(type, 0);
}

/* The next COUNT bytes at a multiple of ALIGNMENT; NULL, and `wrong`, when they are missing. */
static const uint8_t *take(struct dbus_reader *self, size_t alignment, size_t count)
{
    size_t begin = dbus_align(self->at, alignment);
    if (self->wrong || begin > self->length || count > self->length - begin) {
        self->wrong = 1;
        return NULL;
    }
    self->at = begin + count;
    return self->data + begin;
}

uint8_t dbus_read_byte(struct dbus_reader *self)
{
    const uint8_t *byte = take(self, 1, 1);
    return byte ? *byte : 0;
}

uint32_t dbus_read_u32(struct dbus_reader *self)
{
    uint32_t value = 0;
    const uint8_t *bytes = take(self, 4, 4);
    if (bytes)
        memcpy(&value, bytes, sizeof value);
    return self->swap ? __builtin_bswap32(value) : value;
}

/* LENGTH bytes without a NUL, and the NUL behind them. */
static const char *take_text(struct dbus_reader *self, size_t length)
{
    const char *text = (const char *)take(self, 1, length + 1);
    if (text && memchr(text, '\0', length + 1) == text + length)
        return text;
    self->wrong = 1;
    return "";
}

const char *dbus_read_string(struct dbus_reader *self)
{
    return take_text(self, dbus_read_u32(self));
}

const char *dbus_read_signature(struct dbus_reader *self)
{
    return take_text(self, dbus_read_byte(self));
}

void dbus_read_struct(struct dbus_reader *self)
{
    take(self, 8, 0);
}

size_t dbus_read_array(struct dbus_reader *self, char element)
{
    uint32_t length = dbus_read_u32(self);
    take(self, dbus_alignment(element), 0);
    if (self->wrong || length > self->length - self->at) {
        self->wrong = 1;
        return self->at;
    }
    return self->at + length;
}

static void skip(struct dbus_reader *self, const char *type, int depth);

static void skip_variant(struct dbus_reader *self, int depth)
{
    const char *type = dbus_read_signature(self);
    const char *end = dbus_type_end(type);
    if (end && !*end)
        skip(self, type, depth + 1);
    else
        self->wrong = 1;
}

/* The members of a struct or a dict entry, up to the closing bracket. */
static void skip_members(struct dbus_reader *self, const char *type, int depth)
{
    dbus_read_struct(self);
    for (type++; *type != ')' && *type != '}' && !self->wrong; type = dbus_type_end(type))
        skip(self, type, depth + 1);
}

/* TYPE has been checked with dbus_type_end(). */
static void skip(struct dbus_reader *self, const char *type, int depth)
{
    if (depth > DBUS_DEPTH_MAX)
        self->wrong = 1;
    else if (*type == 'v')
        skip_variant(self, depth);
    else if (*type == '(' || *type == '{')
        skip_members(self, type, depth);
    else if (*type == 'a')
        self->at = dbus_read_array(self, type[1]);
    else if (*type == 's' || *type == 'o')
        dbus_read_string(self);
    else if (*type == 'g')
        dbus_read_signature(self);
    else
        take(self, dbus_alignment(*type), dbus_alignment(*type));
}

void dbus_skip(struct dbus_reader *self, const char *type)
{
    if (dbus_type_end(type))
        skip(self, type, 0);
    else
        self->wrong = 1;
}

static const char **find_option(struct dbus_option *options, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(options[i].key, key) == 0)
            return &options[i].value;
    return NULL;
}

void dbus_read_options(struct dbus_reader *self, struct dbus_option *options, size_t count)
{
    size_t end = dbus_read_array(self, '{');
    while (self->at < end && !self->wrong) {
        dbus_read_struct(self);
        const char **value = find_option(options, count, dbus_read_string(self));
        const char *type = dbus_read_signature(self);
        const char *type_end = dbus_type_end(type);
        if (!type_end || *type_end)
            self->wrong = 1;
        else if (value && strcmp(type, "s") == 0)
            *value = dbus_read_string(self);
        else
            skip(self, type, 0);
    }
    self->wrong |= self->at > end;
}

/* Room for COUNT bytes at a multiple of ALIGNMENT; NULL, and `full`, when there is none. */
static uint8_t *reserve_bytes(struct dbus_writer *self, size_t alignment, size_t count)
{
    size_t begin = dbus_align(self->length, alignment);
    if (self->full || begin > DBUS_WRITER_MAX || count > DBUS_WRITER_MAX - begin) {
        self->full = 1;
        return NULL;
    }
    memset(self->data + self->length, 0, begin - self->length);
    self->length = begin + count;
    return self->data + begin;
}

static void put(struct dbus_writer *self, size_t alignment, const void *data, size_t count)
{
    uint8_t *to = reserve_bytes(self, alignment, count);
    if (to)
        memcpy(to, data, count);
}

void dbus_write_byte(struct dbus_writer *self, uint8_t value)
{
    put(self, 1, &value, 1);
}

void dbus_write_u32(struct dbus_writer *self, uint32_t value)
{
    put(self, 4, &value, sizeof value);
}

void dbus_write_string(struct dbus_writer *self, const char *value)
{
    size_t length = strlen(value);
    dbus_write_u32(self, (uint32_t)length);
    put(self, 1, value, length + 1);
}

void dbus_write_signature(struct dbus_writer *self, const char *value)
{
    size_t length = strlen(value);
    if (length > DBUS_SIGNATURE_MAX) {
        self->full = 1;
        return;
    }
    dbus_write_byte(self, (uint8_t)length);
    put(self, 1, value, length + 1);
}

void dbus_write_struct(struct dbus_writer *self)
{
    reserve_bytes(self, 8, 0);
}

size_t dbus_begin_array(struct dbus_writer *self, char element)
{
    dbus_write_u32(self, 0);
    size_t place = self->length - sizeof(uint32_t);
    reserve_bytes(self, dbus_alignment(element), 0);
    return place;
}

void dbus_end_array(struct dbus_writer *self, size_t place, char element)
{
    if (self->full)
        return;
    size_t begin = dbus_align(place + sizeof(uint32_t), dbus_alignment(element));
    dbus_set_u32(self, place, (uint32_t)(self->length - begin));
}

void dbus_set_u32(struct dbus_writer *self, size_t place, uint32_t value)
{
    if (!self->full)
        memcpy(self->data + place, &value, sizeof value);
}
