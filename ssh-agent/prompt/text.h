/*
 * Texts of the window: plain, never markup, never hyphenated, from the left whatever direction they
 * have. (Text that is harmless in itself: question.h.)
 */
#pragma once

#include <gtk/gtk.h>

/* A few words of CLASS (of style.css; NULL: none) on one line, cut at its end if need be. */
GtkWidget *text_line(const char *text, const char *class);

/*
 * Any text, wrapped, on LINES lines at most (0: all). It takes what width there is and asks for
 * none, so that nothing in it can make the window wider, nor does GTK lay it out for widths that it
 * will never have.
 */
GtkWidget *text_block(const char *text, const char *class, int lines);
