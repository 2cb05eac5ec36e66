#include "session/terminal_scan.h"

#include <stdint.h>
#include <string.h>

#include "sys/utf8.h"

/* Bytes that are looked at together, in a few instructions. */
typedef unsigned char block __attribute__((vector_size(16)));

static block load(const unsigned char *at)
{
    block result;
    memcpy(&result, at, sizeof result);
    return result;
}

static int is_zero(block value)
{
    uint64_t halves[2];
    memcpy(halves, &value, sizeof halves);
    return (halves[0] | halves[1]) == 0;
}

/*
 * Skips blocks of usual text. AT is where a character begins, two bytes or more after the first one
 * that can be read. Stops at all that needs a closer look: the controls, and the first bytes whose
 * second one has a range of its own (C0 to C2, E0, ED, from F0 on). Of the others this is all of
 * UTF-8: a byte goes on a character exactly where the two bytes before it want that.
 */
static const unsigned char *skip_blocks(const unsigned char *at, const unsigned char *end)
{
    while (end - at >= (long)sizeof(block)) {
        block now = load(at);
        block look = (block)((now >= 0x80) | (now == ESC) | (now == ENQ) | (now == SHIFT_OUT));
        if (is_zero(look)) {
            at += sizeof(block);
            continue;
        }
        block special = (block)((now == ESC) | (now == ENQ) | (now == SHIFT_OUT) |
                                ((now >= 0xc0) & (now <= 0xc2)) | (now == 0xe0) | (now == 0xed) |
                                (now >= 0xf0));
        block before = load(at - 1), earlier = load(at - 2);
        block wrong = (block)(((now & 0xc0) == 0x80) ^ ((before >= 0xc0) | (earlier >= 0xe0)));
        if (!is_zero(special | wrong))
            break;
        at += sizeof(block);
        at -= at[-1] >= 0xc0 ? 1 : at[-2] >= 0xe0 ? 2 : 0; /* a character that is not complete */
    }
    return at;
}

/* The length of the character at AT, 0: it is none that passes as it is. */
static size_t character_length(const unsigned char *at, const unsigned char *end, int is_8bit)
{
    if (*at < 0x80)
        return *at != ESC && *at != ENQ && *at != SHIFT_OUT;
    if (is_8bit)
        return *at >= 0xa0;
    int length = utf8_length(at, (size_t)(end - at));
    return length <= 0 || utf8_is_c1(at) ? 0 : (size_t)length;
}

size_t terminal_clean_length(const unsigned char *from, const unsigned char *end, int is_8bit)
{
    const unsigned char *at = from;
    while (at < end) {
        /* As a block needs two bytes before it; and what stops one is in the next 16 bytes. */
        long slow = 2;
        if (!is_8bit && at - from >= 2) {
            at = skip_blocks(at, end);
            slow = sizeof(block);
        }
        const unsigned char *stop = end - at > slow ? at + slow : end;
        while (at < stop) {
            size_t length = character_length(at, end, is_8bit);
            if (length == 0)
                return (size_t)(at - from);
            at += length;
        }
    }
    return (size_t)(at - from);
}
