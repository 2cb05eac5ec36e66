#include "box/menu/menu_entries.h"

#include <string.h>

/* A chunk of a file, with a checksum that png_icon_clean() does not check. */
static void add(GByteArray *out, const char *kind, const void *data, guint length)
{
    const guint8 head[] = {(guint8)(length >> 24), (guint8)(length >> 16), (guint8)(length >> 8),
                           (guint8)length};
    g_byte_array_append(out, head, 4);
    g_byte_array_append(out, (const guint8 *)kind, 4);
    g_byte_array_append(out, data, length);
    g_byte_array_append(out, (const guint8 *)"CRC!", 4);
}

static GByteArray *begin(guint wide, guint high, guint8 depth, guint8 colour)
{
    GByteArray *out = g_byte_array_new();
    const guint8 head[13] = {0,     0,     (guint8)(wide >> 8), (guint8)wide,
                             0,     0,     (guint8)(high >> 8), (guint8)high,
                             depth, colour};
    g_byte_array_append(out, (const guint8 *)"\x89PNG\r\n\x1a\n", 8);
    add(out, "IHDR", head, sizeof head);
    return out;
}

/* Ends PNG and checks the result; SIDE 0: it is refused. */
static GByteArray *check(GByteArray *png, guint side)
{
    guint found = 0;
    GByteArray *clean = png_icon_clean(png->data, png->len, &found);
    g_assert_true((clean != NULL) == (side != 0));
    if (clean)
        g_assert_cmpuint(found, ==, side);
    g_byte_array_unref(png);
    return clean;
}

static void judge(guint wide, guint high, guint8 depth, guint8 colour, guint side)
{
    GByteArray *png = begin(wide, high, depth, colour);
    add(png, "IDAT", "x", 1);
    add(png, "IEND", "", 0);
    GByteArray *clean = check(png, side);
    if (clean)
        g_byte_array_unref(clean);
}

static void test_header(void)
{
    judge(64, 64, 8, 6, 64);
    judge(512, 512, 16, 6, 512);
    judge(16, 16, 1, 3, 16);
    judge(0, 0, 8, 6, 0);
    judge(64, 32, 8, 6, 0);
    judge(513, 513, 8, 6, 0);
    judge(1024, 1024, 8, 6, 0);
    judge(65, 65, 8, 6, 0);
    judge(64, 64, 16, 3, 0);
    judge(64, 64, 8, 5, 0);
    judge(64, 64, 3, 6, 0);
}

/* Profiles, texts and bytes after the end are dropped. */
static void test_chunks(void)
{
    GByteArray *png = begin(48, 48, 8, 3);
    add(png, "iCCP", "evil", 4);
    add(png, "PLTE", "rgb", 3);
    add(png, "zTXt", "evil", 4);
    add(png, "IDAT", "pixels", 6);
    add(png, "IEND", "", 0);
    g_byte_array_append(png, (const guint8 *)"#!/bin/sh evil", 14);
    GByteArray *clean = check(png, 48);
    g_assert_null(g_strstr_len((char *)clean->data, (gssize)clean->len, "evil"));
    g_assert_null(memchr(clean->data, '#', clean->len));
    g_assert_cmpuint(clean->len, ==, 8 + 25 + 15 + 18 + 12);
    g_byte_array_unref(clean);
}

static void test_broken(void)
{
    guint side;
    check(begin(48, 48, 8, 6), 0);
    GByteArray *png = begin(48, 48, 8, 6);
    add(png, "IEND", "", 0);
    check(png, 0);
    png = begin(48, 48, 8, 6);
    add(png, "IDAT", "x", 1);
    check(png, 0);
    png = begin(48, 48, 8, 6);
    g_byte_array_append(png, (const guint8 *)"\xff\xff\xff\xffIDATxxxxxxxx", 16);
    check(png, 0);
    png = begin(48, 48, 8, 6);
    g_byte_array_append(png, (const guint8 *)"\0\0\0\x09IDATxxxxCRC!", 16);
    check(png, 0);
    png = begin(48, 48, 8, 6);
    add(png, "IHDR", "again", 5);
    check(png, 0);
    g_assert_null(png_icon_clean((const guint8 *)"GIF89a", 6, &side));
    g_assert_null(png_icon_clean((const guint8 *)"", 0, &side));
    GByteArray *large = begin(48, 48, 8, 6);
    g_autofree char *pixels = g_strnfill(PNG_ICON_MAX, 'x');
    add(large, "IDAT", pixels, PNG_ICON_MAX);
    add(large, "IEND", "", 0);
    check(large, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/png-icon/header", test_header);
    g_test_add_func("/png-icon/chunks", test_chunks);
    g_test_add_func("/png-icon/broken", test_broken);
    return g_test_run();
}
