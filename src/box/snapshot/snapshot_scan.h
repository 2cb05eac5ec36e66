/* What a snapshot would hold now. */
#pragma once

#include "box/snapshot/manifest.h"
#include "box/snapshot/object_store.h"
#include "box/snapshot/snapshot.h"

/*
 * Contents that no snapshot has are added to STORE, and are there for good when they are published.
 * A file that is still as BEFORE has it is not read; BEFORE NULL: as the last snapshot has it.
 * NOTES gets what is to be said; or NULL. NULL with ERROR.
 */
snapshot_manifest *snapshot_scan(const struct box *self, const snapshot_options *how,
                                 object_store *store, const snapshot_manifest *before,
                                 GPtrArray *notes, GError **error);
/* The same, with all programs of SELF paused meanwhile where that can be done. Ones that run are
 * paused for seconds at most: see snapshot_header_is_consistent(). */
snapshot_manifest *snapshot_scan_paused(const struct box *self, const snapshot_options *how,
                                        object_store *store, GPtrArray *notes, GError **error);
/* PID 1 of SELF, and of the branches that share its home, as far as they run; of pid_t. One that
 * cannot be known is not above 0. */
GArray *snapshot_find_inits(const struct box *self, gboolean with_branches);
/* TRUE when each of LATER is one of BEFORE: what has started meanwhile was not paused. */
gboolean snapshot_none_started(const GArray *before, const GArray *later);
/* The newest snapshot that has PART; NULL. */
snapshot_manifest *snapshot_find_last(const struct box *self, enum snapshot_part part);

/*
 * tree_scan.c: reads a folder that a box writes, perhaps at this moment, into a manifest. No
 * symbolic link is followed, no other mount entered, and nothing but files and folders opened.
 */

typedef struct {
    int folder; /* the top */
    enum snapshot_part part;
    /* TRUE: PATH, and what is in it, is no part of the snapshot; or NULL. */
    gboolean (*skips)(void *data, const char *path);
    void *data;
    const snapshot_manifest *before; /* an earlier one; or NULL */
    GPtrArray *notes;                /* gets what is to be said, as new strings; or NULL */
    object_store *store;
} tree_scan;

/* Adds what is there to INTO, with the sums of its header. Names that are left out or have changed
 * are notes. FALSE with ERROR: the store is full, there is too much, or Ctrl-C. */
gboolean tree_scan_run(const tree_scan *self, snapshot_manifest *into, GError **error);

/* TRUE when the file of ST is surely the one of ENTRY, of a manifest that was SETTLED then. */
gboolean tree_scan_is_same(const snapshot_entry *entry, const struct stat *st, gint64 settled);
