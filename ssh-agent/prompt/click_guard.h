/*
 * Protects the buttons that allow from accidental presses, and from programs that draw and type.
 *
 * Protected widgets are insensitive for CLICK_GUARD_MS after the window appears, after it gets the
 * focus again, and while it has no focus: what the user was typing or clicking elsewhere is not an
 * answer. They become sensitive after all input that has arrived so far is handled. A press that
 * began in that time never counts, however long it lasts, nor do its key repeats. Events that an
 * X11 client made with XSendEvent are dropped before any widget sees them.
 */
#pragma once

#include <gtk/gtk.h>

/* Longer than the time between two clicks or keys of somebody who is typing. */
#define CLICK_GUARD_MS 1000

typedef struct click_guard click_guard;

/* Guards WINDOW, which must not be mapped yet. It replaces GDK's event handler, so there can be
 * only one, which lives as long as the process. */
click_guard *click_guard_new(GtkWidget *window);

/* The widget that has the focus at first, and whenever a protected one has to give it up. */
void click_guard_set_fallback(click_guard *self, GtkWidget *fallback);

/* Makes WIDGET, and all in it, insensitive in the times above. */
void click_guard_protect(click_guard *self, GtkWidget *widget);

/* TRUE when a press may count now. Every handler that allows something asks for it. */
gboolean click_guard_accepts(const click_guard *self);
