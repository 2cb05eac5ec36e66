/* Icons of a box: hostile pictures that the host's desktop will decode. */
#pragma once

#include <glib.h>

/* Most bytes, and most pixels in a row and in a column, as the picture says. */
#define ICON_MAX (256 * 1024)
#define ICON_SIDE_MAX 512

/*
 * The PNG in LENGTH bytes of DATA with only the parts that make its pixels: no profiles, texts or
 * compressed extras, whose decoders are the buggy ones, and nothing behind its end. NULL when it is
 * no square PNG of a size for which themes have a folder; that size is *SIDE.
 */
GByteArray *icon_clean(const guint8 *data, gsize length, guint *side);

/* The sizes that themes have, ends with 0. */
extern const guint icon_sides[];
