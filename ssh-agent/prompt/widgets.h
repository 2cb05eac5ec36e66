/* Widgets that the parts of the window are made of: boxes, labels, a scrolled list, and pictures.
 */
#pragma once

#include <gtk/gtk.h>

/* CLASS, here and below: of style.css; NULL: none. */
GtkWidget *widgets_box(GtkOrientation orientation, int spacing, const char *class);
void widgets_add_class(GtkWidget *widget, const char *class);
/* Adds CLASS to WIDGET, or removes it. */
void widgets_set_class(GtkWidget *widget, const char *class, gboolean has);
/* What a screen reader says: NAME, and unless NULL the longer DESCRIPTION. */
void widgets_describe(GtkWidget *widget, const char *name, const char *description);

/*
 * Labels: plain text, never markup, never hyphenated, always from the left.
 *
 * text_line() is one line, cut at its end where there is no room. text_block() wraps, on at most
 * LINES lines (0: all). A block takes what width there is and asks for none, so that no text can
 * make the window wider, and GTK does not lay it out for widths that it will never have.
 */
GtkWidget *text_line(const char *text, const char *class);
GtkWidget *text_block(const char *text, const char *class, int lines);

/*
 * A box that scrolls up and down and asks for the height that its content has at its width, within
 * limits. (A GtkScrolledWindow asks for the height at the least width, which is far too much for
 * text that wraps.)
 *
 * Heights are in pixels. CHILD gets at least LEAST, if it needs them, and at most LIMIT. NAME is
 * for screen readers.
 */
GtkWidget *scroll_new(GtkWidget *child, const char *name, int least, int limit);
/* How much scroll_shrink() can take from SCROLL at WIDTH. */
int scroll_spare(GtkWidget *scroll, int width);
/* Reduces the height that SCROLL asks for at WIDTH by EXCESS, down to LEAST. */
void scroll_shrink(GtkWidget *scroll, int width, int excess);

/* picture.c: pictures, drawn in the colour of their style. No icon theme is read, so none can
 * change them. */
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
