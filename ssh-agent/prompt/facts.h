/* Rows of facts: a label and what it says, and below that a detail. */
#pragma once

#include <gtk/gtk.h>

#include "question.h"

/* An empty list of rows, whose labels will be of one width. SMALL: they stand close together. */
GtkWidget *facts_new(gboolean small);

/* Adds one row. LINES: of the value at most, with one for the detail (0: all). VALUE_CLASS and
 * FACT's aside and detail may be NULL. */
void facts_add(GtkWidget *rows, const question_fact *fact, const char *value_class, int lines);

/* Adds those of LIST (question_fact). */
void facts_add_all(GtkWidget *rows, const GPtrArray *list, const char *value_class, int lines);
