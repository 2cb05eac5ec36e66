#include "host/bridge/audio/pulse_tagstruct.h"

#include <string.h>

uint32_t tagstruct_read_be32(const unsigned char *four)
{
    return (uint32_t)four[0] << 24 | (uint32_t)four[1] << 16 | (uint32_t)four[2] << 8 | four[3];
}

void tagstruct_write_be32(unsigned char *four, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        four[i] = (unsigned char)(number >> (24 - 8 * i));
}

/* Length of the value at AT with its tag; 0 when it is cut off or its type is unknown. */
static size_t length_of(const unsigned char *at, size_t left)
{
    const unsigned char *nul;
    switch (*at) {
    case TAG_BOOLEAN_TRUE:
    case TAG_BOOLEAN_FALSE:
    case TAG_STRING_NULL:
    case TAG_PROPLIST:
    case TAG_FORMAT_INFO:
        return 1;
    case TAG_U8:
        return 2;
    case TAG_U32:
        return 5;
    case TAG_SAMPLE_SPEC:
        return 7;
    case TAG_TIMEVAL:
        return 9;
    case TAG_CHANNEL_MAP:
        return left < 2 ? 0 : 2 + (size_t)at[1];
    case TAG_CVOLUME:
        return left < 2 ? 0 : 2 + 4 * (size_t)at[1];
    case TAG_ARBITRARY:
        return left < 5 ? 0 : 5 + (size_t)tagstruct_read_be32(at + 1);
    case TAG_STRING:
        nul = memchr(at, '\0', left);
        return nul ? (size_t)(nul - at) + 1 : 0;
    default:
        return 0;
    }
}

const unsigned char *tagstruct_next(struct tagstruct *self, const char *types, size_t *length)
{
    const unsigned char *at = self->at;
    size_t left = (size_t)(self->end - at);
    if (left == 0 || *at == '\0' || !strchr(types, *at))
        return NULL;
    *length = length_of(at, left);
    if (*length == 0 || *length > left)
        return NULL;
    self->at += *length;
    return at;
}

int tagstruct_get_u32(struct tagstruct *self, uint32_t *number)
{
    size_t length;
    const unsigned char *at = tagstruct_next(self, "L", &length);
    if (!at)
        return -1;
    *number = tagstruct_read_be32(at + 1);
    return 0;
}

int tagstruct_get_string(struct tagstruct *self, const char **text)
{
    size_t length;
    const unsigned char *at = tagstruct_next(self, "tN", &length);
    if (!at)
        return -1;
    *text = *at == TAG_STRING ? (const char *)at + 1 : NULL;
    return 0;
}

int tagstruct_put_tag(struct byte_queue *out, char tag)
{
    return byte_queue_append(out, &tag, 1);
}

int tagstruct_put_u32(struct byte_queue *out, uint32_t number)
{
    unsigned char value[5] = {TAG_U32};
    tagstruct_write_be32(value + 1, number);
    return byte_queue_append(out, value, sizeof value);
}

int tagstruct_put_string(struct byte_queue *out, const char *text)
{
    if (!text)
        return tagstruct_put_tag(out, TAG_STRING_NULL);
    return tagstruct_put_tag(out, TAG_STRING) < 0 ? -1
                                                  : byte_queue_append(out, text, strlen(text) + 1);
}

int tagstruct_put_property(struct byte_queue *out, const char *name, const char *text)
{
    unsigned char value[5] = {TAG_ARBITRARY};
    uint32_t length = (uint32_t)strlen(text) + 1;
    tagstruct_write_be32(value + 1, length);
    return tagstruct_put_string(out, name) < 0 || tagstruct_put_u32(out, length) < 0 ||
                   byte_queue_append(out, value, sizeof value) < 0
               ? -1
               : byte_queue_append(out, text, length);
}
