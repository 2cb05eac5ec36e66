/* Rows of facts: a label and what it says, and below that a detail. */
#pragma once

#include <gtk/gtk.h>

/* An empty list of rows, whose labels will be of one width. */
GtkWidget *facts_new(void);

/* Adds one row. LINES: of the value at most, with one for the detail (0: all). VALUE_CLASS, DETAIL
 * may be NULL. */
void facts_add(GtkWidget *rows, const char *label, const char *value, const char *value_class,
               const char *detail, int lines);

/* Adds those of LIST (question_fact). */
void facts_add_all(GtkWidget *rows, const GPtrArray *list, const char *value_class, int lines);
