/*
 * The look: GTK's built-in Adwaita theme, light or dark as the user's theme is, or one of the two
 * high contrast themes, with our own rules over it. Other themes and gtk.css are not used, so that
 * nothing can hide a part of the question, and the theme's files need not be read.
 */
#pragma once

#include <glib.h>

/* Reads from GTK_THEME whether it is dark. Call it before GTK's variables are removed. */
void style_read_environment(void);

/* Call it after gtk_init(). COLOUR (0xRRGGBB) is the box's. */
void style_apply(guint32 colour);
