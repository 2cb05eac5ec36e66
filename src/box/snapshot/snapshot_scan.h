/* What a snapshot would hold now. */
#pragma once

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
