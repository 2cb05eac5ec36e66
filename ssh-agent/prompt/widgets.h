/* What several parts of the window do with widgets. */
#pragma once

#include <gtk/gtk.h>

/* CLASS: of style.css; NULL: none. */
GtkWidget *widgets_box(GtkOrientation orientation, int spacing, const char *class);
void widgets_add_class(GtkWidget *widget, const char *class);
/* WIDGET has CLASS from now on, or has it not. */
void widgets_set_class(GtkWidget *widget, const char *class, gboolean has);

/* What a screen reader says: NAME, and if not NULL the longer DESCRIPTION. */
void widgets_describe(GtkWidget *widget, const char *name, const char *description);
