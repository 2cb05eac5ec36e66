#include "box/snapshot/sparse.h"

#include <string.h>

/* A stretch begins. */
static gboolean begin_stretch(sparse_reader *self)
{
    sparse_head head;
    memcpy(&head, self->head, sizeof head);
    self->has = 0;
    if (!head.length || head.offset < self->at || head.offset > self->size ||
        head.length > self->size - head.offset)
        return FALSE;
    self->at = head.offset;
    self->left = head.length;
    return TRUE;
}

gboolean sparse_next(sparse_reader *self, const guint8 **piece, gsize *length, guint64 *offset,
                     const guint8 **data, gsize *count)
{
    *count = 0;
    if (!self->left) {
        gsize n = MIN(sizeof self->head - self->has, *length);
        memcpy(self->head + self->has, *piece, n);
        self->has += n;
        *piece += n;
        *length -= n;
        if (self->has < sizeof self->head)
            return TRUE;
        if (!begin_stretch(self))
            return FALSE;
    }
    *count = (gsize)MIN(self->left, *length);
    *offset = self->at;
    *data = *piece;
    self->at += *count;
    self->left -= *count;
    *piece += *count;
    *length -= *count;
    return TRUE;
}

gboolean sparse_is_complete(const sparse_reader *self)
{
    return !self->left && !self->has;
}
