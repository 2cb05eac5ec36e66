/* Whether programs are to be light or dark: how a box knows. */
#pragma once

#include <stdint.h>

/* As org.freedesktop.appearance counts them. */
enum scheme { SCHEME_ANY, SCHEME_DARK, SCHEME_LIGHT };

/*
 * What $LITTERBOX_COLOR_SCHEME says ("dark", "light"); or else GTK's settings of the box's own, or
 * those that say how the user's desktop looks.
 */
enum scheme scheme_read(void);

/* What TEXT, GTK's settings.ini, prefers: 1 for dark, 0 for not, -1 when it does not say. */
int scheme_prefers_dark(const char *text);
