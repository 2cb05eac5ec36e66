#include "console/output.h"

#include <stdio.h>
#include <unistd.h>

#include "common/text.h"
#include "common/units.h"

void json_print(json_t *value)
{
    gboolean terminal = isatty(STDOUT_FILENO);
    json_dumpf(value, stdout,
               JSON_REAL_PRECISION(15) |
                   (terminal ? JSON_INDENT(2) | JSON_ENSURE_ASCII : JSON_COMPACT));
    putchar('\n');
    json_decref(value);
}

void json_print_line(json_t *value)
{
    json_dumpf(value, stdout, JSON_COMPACT | (isatty(STDOUT_FILENO) ? JSON_ENSURE_ASCII : 0));
    putchar('\n');
    fflush(stdout);
    json_decref(value);
}

json_t *json_text(const char *text)
{
    if (!text || !*text)
        return json_null();
    if (g_utf8_validate(text, -1, NULL))
        return json_string(text);
    g_autofree char *safe = text_safe(text, -1);
    return json_string(safe);
}

json_t *json_texts(char *const *list)
{
    json_t *array = json_array();
    for (; list && *list; list++)
        json_array_append_new(array, json_text(*list));
    return array;
}

json_t *json_count(gint64 count)
{
    return count < 0 ? json_null() : json_integer(count);
}

json_t *json_time(gint64 seconds)
{
    g_autofree char *text = seconds > 0 ? units_rfc3339(seconds) : NULL;
    return json_text(text);
}

static gboolean is_empty(const json_t *value)
{
    return json_is_string(value) && json_string_length(value) == 0;
}

void json_empty_to_null(json_t *value)
{
    const char *key;
    json_t *child;
    size_t i;
    void *next;
    json_object_foreach_safe(value, next, key, child)
    {
        if (is_empty(child))
            json_object_set_new(value, key, json_null());
        else
            json_empty_to_null(child);
    }
    json_array_foreach (value, i, child) {
        if (is_empty(child))
            json_array_set_new(value, i, json_null());
        else
            json_empty_to_null(child);
    }
}

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
