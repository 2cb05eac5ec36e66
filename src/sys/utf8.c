#include "sys/utf8.h"

int utf8_length(const unsigned char *at, size_t room)
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
