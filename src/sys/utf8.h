/* UTF-8, strictly (Unicode, table 3-7): no overlong forms, no surrogates. libc only. */
#pragma once

#include <stddef.h>

/* The length of the character that begins at AT, of which ROOM bytes are there (at least 1): 0 when
 * none begins there, -1 when its end is not there yet. */
int utf8_length(const unsigned char *at, size_t room);

/* 1 for a control character of 8 bits (C1: U+0080 to U+009F) among the valid ones. */
static inline int utf8_is_c1(const unsigned char *character)
{
    return character[0] == 0xc2 && character[1] < 0xa0;
}
