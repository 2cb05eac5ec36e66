#include "host/bridge/audio/pulse_tags.h"

#include <string.h>

uint32_t tags_read(const unsigned char *four)
{
    return (uint32_t)four[0] << 24 | (uint32_t)four[1] << 16 | (uint32_t)four[2] << 8 | four[3];
}

void tags_write(unsigned char *four, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        four[i] = (unsigned char)(number >> (24 - 8 * i));
}

/* How long the value at AT is, with its letter; 0 when it is not whole, or of no kind. */
static size_t length_of(const unsigned char *at, size_t left)
{
    const unsigned char *nul;
    switch (*at) {
    case TAG_TRUE:
    case TAG_FALSE:
    case TAG_NO_TEXT:
    case TAG_PROPERTIES:
    case TAG_FORMAT:
        return 1;
    case TAG_SMALL:
        return 2;
    case TAG_NUMBER:
        return 5;
    case TAG_SAMPLES:
        return 7;
    case TAG_TIME:
        return 9;
    case TAG_MAP:
        return left < 2 ? 0 : 2 + (size_t)at[1];
    case TAG_VOLUMES:
        return left < 2 ? 0 : 2 + 4 * (size_t)at[1];
    case TAG_BYTES:
        return left < 5 ? 0 : 5 + (size_t)tags_read(at + 1);
    case TAG_TEXT:
        nul = memchr(at, '\0', left);
        return nul ? (size_t)(nul - at) + 1 : 0;
    default:
        return 0;
    }
}

const unsigned char *tags_take(struct tags *self, const char *kinds, size_t *length)
{
    const unsigned char *at = self->at;
    size_t left = (size_t)(self->end - at);
    if (left == 0 || *at == '\0' || !strchr(kinds, *at))
        return NULL;
    *length = length_of(at, left);
    if (*length == 0 || *length > left)
        return NULL;
    self->at += *length;
    return at;
}

int tags_number(struct tags *self, uint32_t *number)
{
    size_t length;
    const unsigned char *at = tags_take(self, "L", &length);
    if (!at)
        return -1;
    *number = tags_read(at + 1);
    return 0;
}

int tags_text(struct tags *self, const char **text)
{
    size_t length;
    const unsigned char *at = tags_take(self, "tN", &length);
    if (!at)
        return -1;
    *text = *at == TAG_TEXT ? (const char *)at + 1 : NULL;
    return 0;
}

int tags_put_letter(struct byte_queue *out, char letter)
{
    return byte_queue_append(out, &letter, 1);
}

int tags_put_number(struct byte_queue *out, uint32_t number)
{
    unsigned char value[5] = {TAG_NUMBER};
    tags_write(value + 1, number);
    return byte_queue_append(out, value, sizeof value);
}

int tags_put_text(struct byte_queue *out, const char *text)
{
    if (!text)
        return tags_put_letter(out, TAG_NO_TEXT);
    return tags_put_letter(out, TAG_TEXT) < 0 ? -1 : byte_queue_append(out, text, strlen(text) + 1);
}

int tags_put_property(struct byte_queue *out, const char *name, const char *text)
{
    unsigned char value[5] = {TAG_BYTES};
    uint32_t length = (uint32_t)strlen(text) + 1;
    tags_write(value + 1, length);
    return tags_put_text(out, name) < 0 || tags_put_number(out, length) < 0 ||
                   byte_queue_append(out, value, sizeof value) < 0
               ? -1
               : byte_queue_append(out, text, length);
}
