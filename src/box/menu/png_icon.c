#include "menu/icon.h"

#include <string.h>

#define SIGNATURE "\x89PNG\r\n\x1a\n"
#define SIGNATURE_LENGTH 8
#define HEADER_LENGTH 13
/* Length, kind and checksum of a chunk. */
#define CHUNK_EXTRA 12

const guint icon_sides[] = {16, 22, 24, 32, 36, 48, 64, 72, 96, 128, 192, 256, 512, 0};

static guint32 number(const guint8 *at)
{
    return (guint32)at[0] << 24 | (guint32)at[1] << 16 | (guint32)at[2] << 8 | at[3];
}

static gboolean is_kind(const guint8 *chunk, const char *kind)
{
    return memcmp(chunk + 4, kind, 4) == 0;
}

/* Depth and colour type as the format allows them. */
static gboolean is_pixel(guint8 depth, guint8 colour)
{
    switch (colour) {
    case 0:
        return depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
    case 3:
        return depth == 1 || depth == 2 || depth == 4 || depth == 8;
    case 2:
    case 4:
    case 6:
        return depth == 8 || depth == 16;
    default:
        return FALSE;
    }
}

static gboolean read_header(const guint8 *chunk, guint *side)
{
    const guint8 *head = chunk + 8;
    if (number(chunk) != HEADER_LENGTH || !is_kind(chunk, "IHDR") || head[10] || head[11] ||
        head[12] > 1 || !is_pixel(head[8], head[9]) || number(head) != number(head + 4) ||
        number(head) > ICON_SIDE_MAX)
        return FALSE;
    for (const guint *known = icon_sides; *known; known++)
        if (*known == number(head)) {
            *side = *known;
            return TRUE;
        }
    return FALSE;
}

/* Copies the chunks behind the header. FALSE unless they end with the picture's end. */
static gboolean copy_chunks(const guint8 *at, const guint8 *end, GByteArray *out)
{
    gboolean pixels = FALSE;
    while (end - at >= CHUNK_EXTRA) {
        guint32 length = number(at);
        if (length > ICON_MAX || length > (gsize)(end - at) - CHUNK_EXTRA || is_kind(at, "IHDR"))
            return FALSE;
        gboolean last = is_kind(at, "IEND"), data = is_kind(at, "IDAT");
        if (last && length)
            return FALSE;
        pixels |= data;
        if (last || data || is_kind(at, "PLTE") || is_kind(at, "tRNS"))
            g_byte_array_append(out, at, length + CHUNK_EXTRA);
        if (last)
            return pixels;
        at += length + CHUNK_EXTRA;
    }
    return FALSE;
}

GByteArray *icon_clean(const guint8 *data, gsize length, guint *side)
{
    const gsize head = SIGNATURE_LENGTH + CHUNK_EXTRA + HEADER_LENGTH;
    if (length < head || length > ICON_MAX || memcmp(data, SIGNATURE, SIGNATURE_LENGTH) != 0 ||
        !read_header(data + SIGNATURE_LENGTH, side))
        return NULL;
    g_autoptr(GByteArray) out = g_byte_array_new();
    g_byte_array_append(out, data, (guint)head);
    return copy_chunks(data + head, data + length, out) ? g_steal_pointer(&out) : NULL;
}
