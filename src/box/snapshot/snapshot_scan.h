/* What a snapshot would hold now. */
#pragma once

#include "box/snapshot/object_store.h"
#include "box/snapshot/snapshot.h"

/* Contents that no snapshot has are added to STORE, and are there for good when they are published.
 * NULL with ERROR. */
snapshot_manifest *snapshot_scan(const struct box *self, const snapshot_options *how,
                                 object_store *store, GError **error);
/* TRUE while SELF runs, or a branch that shares its home. */
gboolean snapshot_is_in_use(const struct box *self);
