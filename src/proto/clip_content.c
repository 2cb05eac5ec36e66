#include "proto/clip_content.h"

#include <stdint.h>
#include <string.h>

#define SIGNATURE "\x89PNG\r\n\x1a\n"
#define SIGNATURE_SIZE 8
/* Length, name and checksum of a chunk. */
#define CHUNK_FRAME 12
#define HEADER_SIZE 13

static const char *const types[CLIP_KINDS] = {CLIP_TYPE_TEXT, CLIP_TYPE_PICTURE};

int clip_kind_of(const char *type)
{
    for (int kind = 0; kind < CLIP_KINDS; kind++) {
        if (strcmp(type, types[kind]) == 0)
            return kind;
    }
    return -1;
}

const char *clip_type(int kind)
{
    return types[kind];
}

/* Length of the UTF-8 character at AT; 0 when it is not valid, or longer than LEFT. */
static size_t character(const unsigned char *at, size_t left, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = *at < 0x80 ? 1 : *at >> 5 == 6 ? 2 : *at >> 4 == 14 ? 3 : *at >> 3 == 30 ? 4 : 0;
    if (n == 0 || n > left)
        return 0;
    *code = n == 1 ? *at : *at & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if (at[i] >> 6 != 2)
            return 0;
        *code = *code << 6 | (at[i] & 0x3f);
    }
    return *code < least[n] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000) ? 0 : n;
}

static int is_control(uint32_t code)
{
    return (code < 0x20 && code != '\t' && code != '\n' && code != '\r') ||
           (code >= 0x7f && code < 0xa0);
}

static int clean_text(unsigned char *data, size_t *length)
{
    size_t kept = 0, n;
    for (size_t at = 0; at < *length; at += n) {
        uint32_t code;
        n = character(data + at, *length - at, &code);
        if (n == 0)
            return -1;
        if (is_control(code))
            continue;
        memmove(data + kept, data + at, n);
        kept += n;
    }
    *length = kept;
    return kept > 0 ? 0 : -1;
}

static uint32_t number(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static int is_reasonable(uint32_t width, uint32_t height)
{
    return width > 0 && height > 0 && width <= CLIP_PIXELS_MAX && height <= CLIP_PIXELS_MAX &&
           width * height <= CLIP_AREA_MAX;
}

/* AT: the first chunk, of which LEFT bytes are there. */
static int check_header(const unsigned char *at, size_t left)
{
    return left >= CHUNK_FRAME + HEADER_SIZE && number(at) == HEADER_SIZE &&
                   memcmp(at + 4, "IHDR", 4) == 0 && is_reasonable(number(at + 8), number(at + 12))
               ? 0
               : -1;
}

#define ANY_SIZE ((size_t)-1)

/* The chunks that pass behind the header: pixels, palette, transparency, and color data of a fixed
 * size (PNG, 11.3). Longer ones could hold anything. */
static int is_passed(const unsigned char *name, size_t size)
{
    static const struct {
        char name[5];
        size_t size;
    } passed[] = {{"PLTE", ANY_SIZE}, {"IDAT", ANY_SIZE}, {"IEND", 0}, {"tRNS", ANY_SIZE},
                  {"gAMA", 4},        {"cHRM", 32},       {"sRGB", 1}, {"pHYs", 9}};
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
        if (memcmp(name, passed[i].name, 4) == 0)
            return passed[i].size == ANY_SIZE || passed[i].size == size;
    }
    return 0;
}

/* A critical chunk (PNG, 5.4: bit 5 of the first byte is 0) cannot be left out. */
static int is_critical(const unsigned char *name)
{
    return !(name[0] & 0x20);
}

/* Nothing may follow the last chunk: another file could be hidden there. */
static int clean_picture(unsigned char *data, size_t *length)
{
    if (*length < SIGNATURE_SIZE || memcmp(data, SIGNATURE, SIGNATURE_SIZE) != 0 ||
        check_header(data + SIGNATURE_SIZE, *length - SIGNATURE_SIZE) < 0)
        return -1;
    size_t kept = SIGNATURE_SIZE + CHUNK_FRAME + HEADER_SIZE, chunk;
    for (size_t at = kept; *length - at >= CHUNK_FRAME; at += chunk) {
        const unsigned char *name = data + at + 4;
        size_t size = number(data + at);
        chunk = CHUNK_FRAME + size;
        if (size > *length - at - CHUNK_FRAME || (is_critical(name) && !is_passed(name, size)))
            return -1;
        int is_last = memcmp(name, "IEND", 4) == 0;
        if (is_passed(name, size)) {
            memmove(data + kept, data + at, chunk);
            kept += chunk;
        }
        if (is_last) {
            int is_whole = at + chunk == *length;
            *length = kept;
            return is_whole ? 0 : -1;
        }
    }
    return -1;
}

int clip_clean(int kind, unsigned char *data, size_t *length)
{
    if (*length == 0 || *length > CLIP_MAX)
        return -1;
    return kind == CLIP_TEXT ? clean_text(data, length) : clean_picture(data, length);
}
