/* The contents of one file, from a folder that a box may write to the object store. */
#pragma once

#include "box/snapshot/manifest.h"
#include "box/snapshot/object_writer.h"

/* Bytes that are read at once. */
#define CONTENTS_BLOCK ((gsize)1 << 18)
/* More data than this is left out; holes do not count. */
#define SNAPSHOT_DATA_MAX ((guint64)64 << 30)

enum contents_result {
    CONTENTS_STORED,
    CONTENTS_LEFT_OUT, /* WHY says why */
    CONTENTS_FAILED,   /* ERROR: nothing more can be stored */
};

/*
 * Stores what the open file FD, a regular one of ST, has now, and sets object, size and flags of
 * ENTRY. BLOCK is CONTENTS_BLOCK bytes to work with. Reads no more than its size: a file that grows
 * would never end. What is written meanwhile is in it or not, and SNAPSHOT_CHANGED says so.
 */
enum contents_result contents_store(int fd, const struct stat *st, object_writer *writer,
                                    guint8 *block, snapshot_entry *entry, const char **why,
                                    GError **error);
/* st_ctim in nanoseconds. */
gint64 contents_ctime(const struct stat *st);
gint64 contents_mtime(const struct stat *st);
