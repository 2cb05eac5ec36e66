/*
 * A list that scrolls up and down and knows its height. GTK's scrolled window asks for the height
 * that its content would have if it were as narrow as can be, which for text that wraps is far too
 * much; this one asks for what its width needs, within limits.
 */
#pragma once

#include <gtk/gtk.h>

/* Scrolls CHILD; never lower than LEAST pixels if CHILD needs them, never higher than LIMIT. */
GtkWidget *scroll_new(GtkWidget *child, const char *name, int least, int limit);

/* How many pixels scroll_shrink() can take from SCROLL at WIDTH. */
int scroll_spare(GtkWidget *scroll, int width);

/* Takes EXCESS pixels from what SCROLL asks for at WIDTH, as far as its least height allows. */
void scroll_shrink(GtkWidget *scroll, int width, int excess);
