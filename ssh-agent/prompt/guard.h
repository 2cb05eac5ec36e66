/*
 * No yes by accident, and none by a program that draws and types.
 *
 * What is fenced is insensitive for a second after the window appears and after it gets the focus
 * again, and while it has lost it: what someone was typing or clicking elsewhere is not an answer.
 * A press that began while the fence was closed never counts, whenever it ends, nor do its
 * repetitions. Events that a client made with XSendEvent are dropped before any widget sees them.
 */
#pragma once

#include <gtk/gtk.h>

/* How long the fence stays closed, in milliseconds. */
#define GUARD_MS 1000

typedef struct guard guard;

/* Guards WINDOW, which must not be mapped yet. It takes GDK's event handler, so there is one,
 * as long as the process lives. */
guard *guard_new(GtkWidget *window);

/* The widget that has the focus at first, and whenever a fenced one has to give it up. */
void guard_set_retreat(guard *self, GtkWidget *retreat);

/* Makes WIDGET, and what is in it, insensitive while the fence is closed. */
void guard_fence(guard *self, GtkWidget *widget);

/* TRUE when a yes may count now. To be asked by every handler that gives one. */
gboolean guard_accepts(const guard *self);
