#include "ssh-agent/wire/buffer.h"

#include <stdlib.h>
#include <string.h>

#define BUFFER_CAPACITY_MIN 256

struct ssh_span ssh_span_text(const char *text)
{
    return (struct ssh_span){(const uint8_t *)text, strlen(text)};
}

bool ssh_span_equal(struct ssh_span a, struct ssh_span b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

struct ssh_reader ssh_reader_of(struct ssh_span data)
{
    return (struct ssh_reader){.rest = data};
}

bool ssh_read_raw(struct ssh_reader *self, size_t length, struct ssh_span *value)
{
    if (self->failed || length > self->rest.length) {
        self->failed = true;
        *value = (struct ssh_span){0};
        return false;
    }
    *value = (struct ssh_span){self->rest.data, length};
    self->rest.length -= length;
    if (length > 0)
        self->rest.data += length;
    return true;
}

static bool read_number(struct ssh_reader *self, size_t length, uint64_t *value)
{
    struct ssh_span bytes;
    *value = 0;
    if (!ssh_read_raw(self, length, &bytes))
        return false;
    for (size_t i = 0; i < length; i++)
        *value = *value << 8 | bytes.data[i];
    return true;
}

bool ssh_read_byte(struct ssh_reader *self, uint8_t *value)
{
    uint64_t number;
    bool good = read_number(self, 1, &number);
    *value = (uint8_t)number;
    return good;
}

bool ssh_read_u32(struct ssh_reader *self, uint32_t *value)
{
    uint64_t number;
    bool good = read_number(self, 4, &number);
    *value = (uint32_t)number;
    return good;
}

bool ssh_read_u64(struct ssh_reader *self, uint64_t *value)
{
    return read_number(self, 8, value);
}

bool ssh_read_string(struct ssh_reader *self, struct ssh_span *value)
{
    uint32_t length;
    ssh_read_u32(self, &length);
    return ssh_read_raw(self, length, value);
}

bool ssh_read_mpint(struct ssh_reader *self, struct ssh_span *value)
{
    if (!ssh_read_string(self, value))
        return false;
    const uint8_t *bytes = value->data;
    bool padded = value->length > 1 && bytes[0] == 0 && bytes[1] & 0x80;
    bool bare = value->length > 0 && bytes[0] > 0 && bytes[0] < 0x80;
    if (!padded && !bare) {
        self->failed = true;
        *value = (struct ssh_span){0};
        return false;
    }
    value->data += padded;
    value->length -= padded;
    return true;
}

bool ssh_reader_done(const struct ssh_reader *self)
{
    return !self->failed && self->rest.length == 0;
}

void ssh_writer_init(struct ssh_writer *self)
{
    *self = (struct ssh_writer){0};
}

void ssh_writer_init_over(struct ssh_writer *self, void *memory, size_t size)
{
    *self = (struct ssh_writer){.data = memory, .capacity = size, .borrowed = true};
}

void ssh_writer_clear(struct ssh_writer *self)
{
    if (self->data)
        explicit_bzero(self->data, self->capacity);
    if (self->borrowed) {
        ssh_writer_init_over(self, self->data, self->capacity);
        return;
    }
    free(self->data);
    ssh_writer_init(self);
}

struct ssh_span ssh_writer_span(const struct ssh_writer *self)
{
    if (self->failed)
        return (struct ssh_span){0};
    return (struct ssh_span){self->data, self->length};
}

/* Makes room for LENGTH more bytes. Not with realloc(): the old memory may hold a private key and
 * must be wiped. */
static bool reserve(struct ssh_writer *self, size_t length)
{
    size_t limit = self->borrowed ? self->capacity : SSH_WRITER_MAX;
    if (self->failed || length > limit - self->length) {
        self->failed = true;
        return false;
    }
    if (length <= self->capacity - self->length)
        return true;
    size_t capacity = self->capacity ? self->capacity : BUFFER_CAPACITY_MIN;
    while (capacity < self->length + length)
        capacity *= 2;
    uint8_t *data = malloc(capacity);
    if (!data) {
        self->failed = true;
        return false;
    }
    if (self->data) {
        memcpy(data, self->data, self->length);
        explicit_bzero(self->data, self->capacity);
        free(self->data);
    }
    self->data = data;
    self->capacity = capacity;
    return true;
}

void ssh_write_raw(struct ssh_writer *self, struct ssh_span value)
{
    if (!reserve(self, value.length) || value.length == 0)
        return;
    memcpy(self->data + self->length, value.data, value.length);
    self->length += value.length;
}

static void write_number(struct ssh_writer *self, uint64_t value, size_t length)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)(value >> (8 * (length - 1 - i)));
    ssh_write_raw(self, (struct ssh_span){bytes, length});
}

void ssh_write_byte(struct ssh_writer *self, uint8_t value)
{
    write_number(self, value, 1);
}

void ssh_write_u32(struct ssh_writer *self, uint32_t value)
{
    write_number(self, value, 4);
}

void ssh_write_u64(struct ssh_writer *self, uint64_t value)
{
    write_number(self, value, 8);
}

void ssh_write_string(struct ssh_writer *self, struct ssh_span value)
{
    size_t mark = ssh_write_begin(self);
    ssh_write_raw(self, value);
    ssh_write_end(self, mark);
}

void ssh_write_text(struct ssh_writer *self, const char *text)
{
    ssh_write_string(self, ssh_span_text(text));
}

void ssh_write_mpint(struct ssh_writer *self, struct ssh_span magnitude)
{
    while (magnitude.length > 0 && magnitude.data[0] == 0) {
        magnitude.data++;
        magnitude.length--;
    }
    size_t mark = ssh_write_begin(self);
    if (magnitude.length > 0 && magnitude.data[0] & 0x80)
        ssh_write_byte(self, 0);
    ssh_write_raw(self, magnitude);
    ssh_write_end(self, mark);
}

size_t ssh_write_begin(struct ssh_writer *self)
{
    ssh_write_u32(self, 0);
    return self->length;
}

void ssh_write_end(struct ssh_writer *self, size_t mark)
{
    if (self->failed)
        return;
    size_t length = self->length - mark;
    for (size_t i = 0; i < 4; i++)
        self->data[mark - 4 + i] = (uint8_t)(length >> (8 * (3 - i)));
}
