/* Pictures, drawn in the colour of their style. No icon theme is read, so none can change them. */
#pragma once

#include <gtk/gtk.h>

enum picture {
    PICTURE_KEY,
    PICTURE_ROOT,
    PICTURE_LOCK,
    PICTURE_KEYS,
    PICTURE_GLOBE,
    PICTURE_BOX,
    PICTURE_VERIFIED,
    PICTURE_UNVERIFIED,
    PICTURE_WARNING,
    PICTURE_TOUCH,
};

/* A square widget of SIZE pixels. */
GtkWidget *picture_new(enum picture which, int size, const char *class);

/* The program's icon on a tile of COLOUR (0xRRGGBB). */
GdkPixbuf *picture_icon(guint32 colour, int size);
