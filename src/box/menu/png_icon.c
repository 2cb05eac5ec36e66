#include "box/menu/png_icon.h"

#include <string.h>

#define SIGNATURE "\x89PNG\r\n\x1a\n"
#define SIGNATURE_LENGTH 8
#define HEADER_LENGTH 13
/* Bytes of a chunk's length, type and checksum (PNG specification, 5.3). */
#define CHUNK_EXTRA 12

const guint png_icon_sides[] = {16, 22, 24, 32, 36, 48, 64, 72, 96, 128, 192, 256, 512, 0};

static guint32 number(const guint8 *at)
{
    return (guint32)at[0] << 24 | (guint32)at[1] << 16 | (guint32)at[2] << 8 | at[3];
}

static gboolean has_type(const guint8 *chunk, const char *type)
{
    return memcmp(chunk + 4, type, 4) == 0;
}

/* The allowed combinations of bit depth and colour type (11.2.2). */
static gboolean is_pixel_format(guint8 depth, guint8 colour)
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
    if (number(chunk) != HEADER_LENGTH || !has_type(chunk, "IHDR") || head[10] || head[11] ||
        head[12] > 1 || !is_pixel_format(head[8], head[9]) || number(head) != number(head + 4) ||
        number(head) > PNG_ICON_SIDE_MAX)
        return FALSE;
    for (const guint *known = png_icon_sides; *known; known++)
        if (*known == number(head)) {
            *side = *known;
            return TRUE;
        }
    return FALSE;
}

/* Copies the chunks after the header. FALSE unless the last one is IEND. */
static gboolean copy_chunks(const guint8 *at, const guint8 *end, GByteArray *out)
{
    gboolean pixels = FALSE;
    while (end - at >= CHUNK_EXTRA) {
        guint32 length = number(at);
        if (length > PNG_ICON_MAX || length > (gsize)(end - at) - CHUNK_EXTRA ||
            has_type(at, "IHDR"))
            return FALSE;
        gboolean last = has_type(at, "IEND"), data = has_type(at, "IDAT");
        if (last && length)
            return FALSE;
        pixels |= data;
        if (last || data || has_type(at, "PLTE") || has_type(at, "tRNS"))
            g_byte_array_append(out, at, length + CHUNK_EXTRA);
        if (last)
            return pixels;
        at += length + CHUNK_EXTRA;
    }
    return FALSE;
}

GByteArray *png_icon_clean(const guint8 *data, gsize length, guint *side)
{
    const gsize head = SIGNATURE_LENGTH + CHUNK_EXTRA + HEADER_LENGTH;
    if (length < head || length > PNG_ICON_MAX || memcmp(data, SIGNATURE, SIGNATURE_LENGTH) != 0 ||
        !read_header(data + SIGNATURE_LENGTH, side))
        return NULL;
    g_autoptr(GByteArray) out = g_byte_array_new();
    g_byte_array_append(out, data, (guint)head);
    return copy_chunks(data + head, data + length, out) ? g_steal_pointer(&out) : NULL;
}
