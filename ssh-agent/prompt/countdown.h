/* The time that is left for an answer, visible; at its end the answer is "timeout". */
#pragma once

#include <gtk/gtk.h>

typedef struct countdown countdown;

/* Runs from now on, for SECONDS. */
countdown *countdown_new(int seconds);
void countdown_free(countdown *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(countdown, countdown_free)

/* The bar that shrinks, and the text. */
GtkWidget *countdown_bar(countdown *self);
GtkWidget *countdown_text(countdown *self);
