#include "mcp/lines.h"

#include <string.h>

void lines_add(lines *self, const char *bytes, gsize length)
{
    if (!self->bytes)
        self->bytes = g_byte_array_new();
    if (self->begin) {
        g_byte_array_remove_range(self->bytes, 0, (guint)self->begin);
        self->searched -= self->begin;
        self->begin = 0;
    }
    g_byte_array_append(self->bytes, (const guint8 *)bytes, (guint)length);
}

/* The end of the line, or NULL. */
static const char *find_end(lines *self)
{
    const char *start = (const char *)self->bytes->data + self->searched;
    gsize length = self->bytes->len - self->searched;
    const char *end = length ? memchr(start, '\n', length) : NULL;
    self->searched = end ? (gsize)(end - (const char *)self->bytes->data) + 1 : self->bytes->len;
    return end;
}

line_state lines_next(lines *self, const char **line, gsize *length)
{
    while (self->bytes && self->begin < self->bytes->len) {
        const char *start = (const char *)self->bytes->data + self->begin;
        const char *end = find_end(self);
        gsize size = end ? (gsize)(end - start) : self->bytes->len - self->begin;
        gboolean skipped = self->skips, is_long = size > LINE_MAX_BYTES;
        if (!end && !skipped && !is_long)
            return LINE_NONE;
        self->begin = self->searched;
        self->skips = !end;
        if (!skipped && is_long)
            return LINE_TOO_LONG;
        if (skipped)
            continue;
        *line = start;
        *length = size;
        return LINE_READY;
    }
    return LINE_NONE;
}

void lines_clear(lines *self)
{
    if (self->bytes)
        g_byte_array_unref(self->bytes);
    *self = (lines){0};
}
