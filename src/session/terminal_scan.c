#include "session/terminal_scan.h"

#include <stdint.h>
#include <string.h>

#include "sys/utf8.h"

/* Between characters of other alphabets there is often no more ASCII than this. */
#define FEW 3
/* Bytes that are looked at together, in a few instructions. */
typedef unsigned char block __attribute__((vector_size(16)));

static int is_plain(unsigned char c)
{
    return c < 0x80 && c != ESC && c != ENQ && c != SHIFT_OUT;
}

static int continues(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}

/* The usual characters of two and three bytes, for speed; utf8_length() knows the other ones. */
static size_t usual_length(const unsigned char *from, const unsigned char *end)
{
    const unsigned char *at = from;
    while (end - at >= 3) {
        if (*at >= 0xc3 && *at < 0xe0 && continues(at[1]))
            at += 2;
        else if (*at > 0xe0 && *at < 0xf0 && *at != 0xed && continues(at[1]) && continues(at[2]))
            at += 3;
        else
            break;
    }
    return (size_t)(at - from);
}

/* How many bytes pass as they are: characters beyond ASCII. */
static size_t text_length(const unsigned char *from, const unsigned char *end, int is_8bit)
{
    const unsigned char *at = from;
    while (at < end && *at >= 0x80) {
        size_t usual = is_8bit ? 0 : usual_length(at, end);
        int length = is_8bit ? *at >= 0xa0
                     : usual ? (int)usual
                             : utf8_length(at, (size_t)(end - at));
        if (length <= 0 || (length == 2 && utf8_is_c1(at)))
            break;
        at += length;
    }
    return (size_t)(at - from);
}

/* The same for ASCII without the control characters that need a look. */
static size_t ascii_length(const unsigned char *from, const unsigned char *end)
{
    const unsigned char *at = from;
    while (at < end && at < from + FEW && is_plain(*at))
        at++;
    if (at < from + FEW)
        return (size_t)(at - from);
    for (; end - at >= (long)sizeof(block); at += sizeof(block)) {
        block bytes;
        uint64_t halves[2];
        memcpy(&bytes, at, sizeof bytes);
        block special =
            (block)((bytes >= 0x80) | (bytes == ESC) | (bytes == ENQ) | (bytes == SHIFT_OUT));
        memcpy(halves, &special, sizeof halves);
        if (halves[0] | halves[1])
            break;
    }
    while (at < end && is_plain(*at))
        at++;
    return (size_t)(at - from);
}

size_t terminal_clean_length(const unsigned char *from, const unsigned char *end, int is_8bit)
{
    const unsigned char *at = from, *before;
    do {
        before = at;
        at += ascii_length(at, end);
        at += text_length(at, end, is_8bit);
    } while (at > before && at < end);
    return (size_t)(at - from);
}
