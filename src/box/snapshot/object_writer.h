/* Adds to an object store. A writer is of one thread; more than one may add to a store at once. */
#pragma once

#include "box/snapshot/object_store.h"

typedef struct object_writer object_writer;
object_writer *object_writer_new(object_store *store);
void object_writer_free(object_writer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(object_writer, object_writer_free)

/*
 * Adds an object: begin, its contents in pieces, end, which says its name. One that is there is not
 * written again. A begin forgets what has begun before. FALSE with ERROR: the disk is full, say;
 * then the store must not be published.
 */
void object_writer_begin(object_writer *self);
gboolean object_writer_append(object_writer *self, const void *data, gsize length, GError **error);
gboolean object_writer_end(object_writer *self, object_id *id, GError **error);
