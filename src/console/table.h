/* Output in columns. Each is as wide as its widest cell, so the widest column belongs last. */
#pragma once

#include <glib.h>

typedef struct table table;

/* HEADINGS is NULL-terminated. */
table *table_new(const char *const *headings);
void table_free(table *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(table, table_free)

/* Adds the next cell, row by row from the left. TEXT is made safe (text_safe). */
void table_add(table *self, const char *text);
/* TRUE when there is no row but the headings. */
gboolean table_is_empty(const table *self);
/* Prints to stdout. */
void table_print(const table *self);
