/* The visible time that is left for an answer. At its end the answer is QUESTION_ANSWER_TIMEOUT. */
#pragma once

#include <gtk/gtk.h>

typedef struct countdown countdown;

/* Starts now, and runs for SECONDS. */
countdown *countdown_new(int seconds);
void countdown_free(countdown *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(countdown, countdown_free)

/* The bar that shrinks, and the text. */
GtkWidget *countdown_bar(countdown *self);
GtkWidget *countdown_text(countdown *self);
