/* How two snapshots, or a snapshot and what is there now, differ. */
#pragma once

#include "box/snapshot/manifest.h"

typedef struct {
    const snapshot_entry *before, *after; /* the manifests'; NULL: there is nothing */
} snapshot_change;

/* Of PART, sorted by path; an array of snapshot_change. Times do not count. */
GArray *snapshot_compare(const snapshot_manifest *before, const snapshot_manifest *after,
                         enum snapshot_part part);
