/* UTF-8, strictly (Unicode, table 3-7): no overlong forms, no surrogates. libc only. */
#pragma once

#include <stddef.h>

/* The length of the character that begins at AT, of which ROOM bytes are there (at least 1): 0 when
 * none begins there, -1 when its end is not there yet. Inline, as it runs for each character. */
static inline int utf8_length(const unsigned char *at, size_t room)
{
    unsigned char first = at[0];
    int length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (first >= 0x80 && (first < 0xc2 || first > 0xf4))
        return 0;
    unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    for (int i = 1; i < length; i++, low = 0x80, high = 0xbf) {
        if ((size_t)i >= room)
            return -1;
        if (at[i] < low || at[i] > high)
            return 0;
    }
    return length;
}

/* 1 for a control character of 8 bits (C1: U+0080 to U+009F) among the valid ones. */
static inline int utf8_is_c1(const unsigned char *character)
{
    return character[0] == 0xc2 && character[1] < 0xa0;
}
