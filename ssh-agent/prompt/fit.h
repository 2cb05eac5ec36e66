/* The window's size: as wide as it is meant to be, and never higher than the display. */
#pragma once

#include <gtk/gtk.h>

/* TRUE on a display so low that everything has to stand closer together. */
gboolean fit_is_small(void);

/*
 * CONTENT is all that is in WINDOW, BODY the scrolled part of it, FLEXIBLE the scrolled list in
 * that, which gives way first (NULL: none). To be called before WINDOW is shown.
 */
void fit(GtkWidget *window, GtkWidget *content, GtkWidget *body, GtkWidget *flexible);
