/*
 * A file with holes, as an object: for each stretch of data its offset and its length, 8 bytes each
 * in the machine's byte order, and then the data. Offsets ascend. What is not listed is a hole.
 */
#pragma once

#include <glib.h>

typedef struct {
    guint64 offset, length;
} sparse_head;

/* Reads such an object piece by piece. All zero at first, but for SIZE. */
typedef struct {
    guint64 size; /* of the file */
    guint64 at;   /* end of the data so far */
    guint64 left; /* of the current stretch */
    guint8 head[sizeof(sparse_head)];
    gsize has; /* bytes of it */
} sparse_reader;

/*
 * Takes bytes from *PIECE, and moves it and *LENGTH. TRUE: *COUNT bytes at *DATA belong at *OFFSET;
 * 0: more is needed. FALSE: this is no such object.
 */
gboolean sparse_next(sparse_reader *self, const guint8 **piece, gsize *length, guint64 *offset,
                     const guint8 **data, gsize *count);
/* TRUE when the object may end here. */
gboolean sparse_is_complete(const sparse_reader *self);
