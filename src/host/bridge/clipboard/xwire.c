#include "host/bridge/clipboard/xwire.h"

#include <string.h>

#define SETUP_HEAD 8
#define SETUP_FIXED 40
#define FORMAT_SIZE 8
#define SCREEN_SIZE 40
#define MESSAGE_HEAD 32
/* Words of a request that every server takes. */
#define REQUEST_LEAST 4096

static uint16_t half(const unsigned char *at)
{
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

uint32_t xwire_word(const unsigned char *message, size_t at)
{
    uint32_t value;
    memcpy(&value, message + at, sizeof value);
    return value;
}

int xwire_kind(const unsigned char *message)
{
    return message[0] & 0x7f;
}

uint16_t xwire_sequence(const unsigned char *message)
{
    return half(message + 2);
}

long xwire_setup_size(const unsigned char *data, size_t length)
{
    if (length < SETUP_HEAD)
        return 0;
    size_t size = SETUP_HEAD + (size_t)half(data + 6) * 4;
    if (size > XWIRE_SETUP_MAX)
        return -1;
    return length < size ? 0 : (long)size;
}

int xwire_setup(const unsigned char *data, size_t length, struct xwire_setup *setup)
{
    if (length < SETUP_FIXED || data[0] != 1 || data[28] == 0)
        return -1;
    size_t vendor = (half(data + 24) + (size_t)3) & ~(size_t)3;
    size_t screen = SETUP_FIXED + vendor + (size_t)data[29] * FORMAT_SIZE;
    if (length < screen + SCREEN_SIZE || half(data + 26) < REQUEST_LEAST)
        return -1;
    *setup = (struct xwire_setup){.id = xwire_word(data, 12),
                                  .root = xwire_word(data, screen),
                                  .request_size = (size_t)half(data + 26) * 4};
    return 0;
}

long xwire_size(const unsigned char *data, size_t length)
{
    if (length < MESSAGE_HEAD)
        return 0;
    size_t size = MESSAGE_HEAD;
    if (data[0] == XWIRE_REPLY || xwire_kind(data) == XWIRE_GENERIC)
        size += (size_t)xwire_word(data, 4) * 4;
    if (size > XWIRE_MAX)
        return -1;
    return length < size ? 0 : (long)size;
}

int xwire_property(const unsigned char *message, size_t length, struct xwire_property *property)
{
    unsigned bits = message[1];
    uint64_t items = xwire_word(message, 16);
    if (bits != 0 && bits != 8 && bits != 16 && bits != 32)
        return -1;
    if (length < MESSAGE_HEAD || items * (bits / 8) > length - MESSAGE_HEAD)
        return -1;
    *property = (struct xwire_property){.type = xwire_word(message, 8),
                                        .after = xwire_word(message, 12),
                                        .width = bits / 8,
                                        .data = message + MESSAGE_HEAD,
                                        .length = (size_t)items * (bits / 8)};
    return 0;
}
