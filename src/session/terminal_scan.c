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

/* Bytes of a block, and those one, two and three bytes earlier. */
struct bytes {
    block now, one, two, three;
};

/* Where a byte does not go on a character as the bytes before it want. */
static block find_wrong(const struct bytes *at)
{
    block goes_on = (block)((at->now & 0xc0) == 0x80);
    block should = (block)((at->one >= 0xc0) | (at->two >= 0xe0) | (at->three >= 0xf0));
    return goes_on ^ should;
}

/* Where a first byte went before whose second one has a range of its own, or that is none. */
static block find_ranges(const struct bytes *at)
{
    return (block)(((at->one >= 0xc0) & (at->one <= 0xc2)) | (at->one == 0xe0) | (at->one == 0xed) |
                   (at->one >= 0xf0));
}

/* Where such a second byte is out of its range (Unicode, table 3-7), or, after C2, makes a control;
 * and all that follow a first byte that is none. */
static block find_out_of_range(const struct bytes *at)
{
    block low = (block)((((at->one == 0xc2) | (at->one == 0xe0)) & (at->now < 0xa0)) |
                        ((at->one == 0xf0) & (at->now < 0x90)));
    block high =
        (block)(((at->one == 0xed) & (at->now >= 0xa0)) | ((at->one == 0xf4) & (at->now >= 0x90)));
    return low | high | (block)((at->one == 0xc0) | (at->one == 0xc1) | (at->one >= 0xf5));
}

/* The bytes before AT that begin a character and are not all of it. */
static long incomplete_length(const unsigned char *at)
{
    return at[-1] >= 0xc0 ? 1 : at[-2] >= 0xe0 ? 2 : at[-3] >= 0xf0 ? 3 : 0;
}

static block find_controls(block now)
{
    return (block)((now == ESC) | (now == ENQ) | (now == SHIFT_OUT));
}

static const unsigned char *skip_ascii(const unsigned char *at, const unsigned char *end)
{
    while (end - at >= (long)sizeof(block)) {
        block now = load(at);
        if (!is_zero((block)(now >= 0x80) | find_controls(now)))
            break;
        at += sizeof(block);
    }
    return at;
}

/* Bytes that skip_blocks() reads before its block. */
enum { BEFORE = 3 };

/* Skips blocks of text, and stops before what is none. AT is where a character begins, at least
 * BEFORE bytes after the first one that can be read. */
static const unsigned char *skip_blocks(const unsigned char *at, const unsigned char *end)
{
    for (;; at += sizeof(block)) {
        if (at[-1] < 0x80)
            at = skip_ascii(at, end);
        if (end - at < (long)sizeof(block))
            break;
        block now = load(at);
        if (!is_zero(find_controls(now)))
            break;
        struct bytes bytes = {now, load(at - 1), load(at - 2), load(at - 3)};
        block wrong = find_wrong(&bytes), ranges = find_ranges(&bytes);
        /* The two are looked at apart only where there are ranges. */
        if (!is_zero(wrong | ranges) && !is_zero(wrong | find_out_of_range(&bytes)))
            break;
    }
    return at - incomplete_length(at);
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
        /* As a block needs bytes before it; and what stops one is in the next 16 bytes. */
        long slow = BEFORE;
        if (!is_8bit && at - from >= BEFORE) {
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

/* Longer styles take the way of all sequences. */
#define STYLE_MAX 64

size_t terminal_style_length(const unsigned char *at, const unsigned char *end)
{
    size_t length = 2, room = (size_t)(end - at);
    room = room < STYLE_MAX ? room : STYLE_MAX;
    if (room < 3 || at[0] != ESC || at[1] != '[')
        return 0;
    while (length < room && ((at[length] >= '0' && at[length] <= '9') || at[length] == ';'))
        length++;
    return length < room && at[length] == 'm' ? length + 1 : 0;
}
