/* Pictures, drawn in the colour of their style: no icon theme has to be read, none can lie. */
#pragma once

#include <gtk/gtk.h>

typedef enum {
    PICTURE_KEY,
    PICTURE_ROOT,
    PICTURE_LOCK,
    PICTURE_KEYS,
    PICTURE_GLOBE,
    PICTURE_BOX,
    PICTURE_GOOD,
    PICTURE_DOUBT,
    PICTURE_WARNING,
    PICTURE_HAND,
} picture;

/* A square widget of SIZE pixels. */
GtkWidget *picture_new(picture what, int size, const char *class);

/* The program's icon on a tile of COLOUR (0xRRGGBB). */
GdkPixbuf *picture_icon(guint32 colour, int size);
