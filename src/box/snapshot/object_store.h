/*
 * Contents of files, of all boxes, each once: named by its hash (object_files.h), compressed by
 * zstd.
 *
 *   data/snapshots/.lock        held by who has the store open
 *   data/snapshots/objects/AB/  objects whose names begin with AB; what is there is complete and
 *                               on the disk
 *   data/snapshots/staging/     what is being added, until object_store_publish()
 *
 * Nothing but names in manifests says that an object is needed. So a kill leaves objects that
 * nobody needs at worst, which object_store_collect() removes.
 */
#pragma once

#include "box/snapshot/object_files.h"

/* In the data folder. */
#define OBJECT_STORE_LOCK "snapshots/.lock"

typedef struct object_store object_store;

/* Waits for other processes that have it open, and says so. Removes what a killed one was adding.
 * NULL with ERROR. */
object_store *object_store_open(GError **error);
/* Removes what was added and not published. */
void object_store_close(object_store *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(object_store, object_store_close)

/* Bytes that the added ones take on the disk; more than one file may share them. */
guint64 object_store_added(const object_store *self);

/* Makes what was added durable. Only then may a manifest name it. */
gboolean object_store_publish(object_store *self, GError **error);

/* Gets contents in pieces. FALSE with ERROR ends it; BOX_ERROR_PROTOCOL: they cannot be the right
 * ones. */
typedef gboolean (*object_sink)(void *data, const void *piece, gsize length, GError **error);
/* Passes an object that is published to SINK; FALSE with ERROR when it is missing or damaged, which
 * shows at its end. A damaged one counts as missing from then on, so that it can be added again. */
gboolean object_store_read(object_store *self, const object_id *id, object_sink sink, void *data,
                           GError **error);

/* FALSE for one that was lost, whoever has removed it. */
gboolean object_store_has(object_store *self, const object_id *id);

/* For object_writer.c, from any thread. TRUE: the caller alone writes ID to staging, and counts its
 * bytes on the disk. FALSE: it is there, or somebody else does. */
gboolean object_store_claim(object_store *self, const object_id *id);
void object_store_count(object_store *self, gsize size);
const object_files *object_store_files(const object_store *self);
/* Returns FALSE with ERROR, of errno. */
gboolean object_store_fail(GError **error);

/* Removes objects that are not in USED, a set of object_id. *FREED: bytes on the disk. DRY: only
 * counts them. */
gboolean object_store_collect(object_store *self, GHashTable *used, gboolean dry, guint64 *freed,
                              GError **error);

/* object_writer.c: adds to an object store. A writer is of one thread; more than one may add to a
 * store at once. */

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
