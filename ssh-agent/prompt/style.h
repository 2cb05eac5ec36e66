/*
 * The look: GTK's built-in Adwaita, light or dark as the user has it (or one of the two high
 * contrast themes), and our own rules over it. A theme or gtk.css of elsewhere is not used, so that
 * what must be seen is always seen, and the theme's files need not be read.
 */
#pragma once

#include <glib.h>

/* What of GTK_THEME counts: whether it is dark. To be called before surroundings_clean(). */
void style_remember(void);

/* After gtk_init(). COLOUR (0xRRGGBB) is the box's. */
void style_apply(guint32 colour);
