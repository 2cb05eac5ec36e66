/* Icons of a box: hostile pictures that the host's desktop will decode. */
#pragma once

#include <glib.h>

/* Limits: bytes, and pixels in each direction. */
#define PNG_ICON_MAX (256 * 1024)
#define PNG_ICON_SIDE_MAX 512

/*
 * The PNG in LENGTH bytes of DATA with only the chunks that make its pixels: without profiles,
 * texts, compressed extras, whose decoders had most bugs, and bytes after its end. NULL when it is
 * not a square PNG in one of the sizes of icon themes; *SIDE is the size.
 */
GByteArray *png_icon_clean(const guint8 *data, gsize length, guint *side);

/* The sizes of icon themes; ends with 0. */
extern const guint png_icon_sides[];
