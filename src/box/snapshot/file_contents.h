/* The contents of one file, from a folder that a box may write to the object store. */
#pragma once

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
