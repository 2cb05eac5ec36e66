/*
 * Reads a folder that a box writes, perhaps at this moment, into a manifest. No symbolic link is
 * followed, no other mount entered, and nothing but files and folders opened.
 */
#pragma once

#include "box/snapshot/manifest.h"
#include "box/snapshot/object_store.h"

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
