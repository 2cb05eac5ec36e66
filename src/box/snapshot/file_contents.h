/*
 * The contents of one file: from a folder that a box may write to the object store; and how a file
 * with holes is an object there.
 */
#pragma once

#include <glib.h>

#include "box/snapshot/manifest.h"
#include "box/snapshot/object_store.h"

/* Bytes that are read at once. */
#define CONTENTS_BLOCK ((gsize)1 << 18)
/* More data than this is left out; holes do not count. */
#define SNAPSHOT_DATA_MAX ((guint64)64 << 30)

enum contents_result {
    CONTENTS_STORED,
    CONTENTS_LEFT_OUT, /* WHY says why */
    CONTENTS_FAILED,   /* ERROR: nothing more can be stored */
};

/* st_ctim in nanoseconds. */
gint64 contents_ctime(const struct stat *st);
gint64 contents_mtime(const struct stat *st);

/*
 * Contents of files on their way to the object store: threads read, hash and compress them, and
 * what became of each comes back in the order in which they were given.
 */

typedef struct {
    int fd;
    struct stat st;
    snapshot_entry entry;
    char *path; /* the entry's */
    /* What became of it: */
    enum contents_result result;
    const char *why;
    GError *problem;
    gboolean is_done;
} contents_job;
void contents_job_free(contents_job *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(contents_job, contents_job_free)

typedef struct contents_queue contents_queue;
/* NULL with ERROR. */
contents_queue *contents_queue_new(object_store *store, GError **error);
/* Waits for all that was pushed. */
void contents_queue_free(contents_queue *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(contents_queue, contents_queue_free)

/* As contents_store() does. Takes FD; copies ENTRY and its path. */
void contents_queue_push(contents_queue *self, int fd, const struct stat *st,
                         const snapshot_entry *entry);
/* TRUE: enough files are open. Pop before you push more. */
gboolean contents_queue_is_full(const contents_queue *self);
/* The oldest one, when it is done; NULL when there is none. */
contents_job *contents_queue_pop(contents_queue *self);

/*
 * A file with holes, as an object: for each stretch of data its offset and its length, 8 bytes each
 * in the machine's byte order, and then the data. Offsets ascend. What is not listed is a hole.
 */

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
