/* Columns for people: as wide as their contents (so the widest belongs last), safe text only. */
#pragma once

#include <glib.h>

typedef struct table table;

/* HEADINGS is NULL-terminated. */
table *table_new(const char *const *headings);
void table_free(table *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(table, table_free)

/* One cell of the current row, left to right; made safe (text_safe). */
void table_add(table *self, const char *text);
gboolean table_is_empty(const table *self);
/* Prints to stdout. */
void table_print(const table *self);
