#include "console/table.h"

#include <stdio.h>
#include <unistd.h>

#include "common/text.h"

#define GAP 2

struct table {
    guint columns;
    GPtrArray *cells; /* headings first */
};

table *table_new(const char *const *headings)
{
    table *self = g_new0(table, 1);
    self->columns = g_strv_length((char **)headings);
    self->cells = g_ptr_array_new_with_free_func(g_free);
    for (; *headings; headings++)
        g_ptr_array_add(self->cells, g_strdup(*headings));
    return self;
}

void table_free(table *self)
{
    g_ptr_array_free(self->cells, TRUE);
    g_free(self);
}

void table_add(table *self, const char *text)
{
    g_ptr_array_add(self->cells, text_safe(text, -1));
}

static glong width_of(const table *self, guint column)
{
    glong width = 0;
    for (guint i = column; i < self->cells->len; i += self->columns)
        width = MAX(width, g_utf8_strlen(self->cells->pdata[i], -1));
    return width;
}

gboolean table_is_empty(const table *self)
{
    return self->cells->len == self->columns;
}

void table_print(const table *self)
{
    g_autofree glong *widths = g_new(glong, self->columns);
    for (guint c = 0; c < self->columns; c++)
        widths[c] = width_of(self, c);
    for (guint i = 0; i < self->cells->len; i++) {
        guint column = i % self->columns;
        const char *cell = self->cells->pdata[i];
        glong padding = widths[column] - g_utf8_strlen(cell, -1) + GAP;
        gboolean last = column + 1 == self->columns;
        printf("%s%*s%s", cell, last ? 0 : (int)padding, "", last ? "\n" : "");
    }
}
