/* Makes the files of a snapshot in an empty folder, which no box can reach. */
#pragma once

#include "box/snapshot/manifest.h"
#include "box/snapshot/object_store.h"

/* Makes the entries of PART in FOLDER, a descriptor; WANTS (may be NULL) says which, and folders
 * that lead to them are made. FALSE with ERROR, after Ctrl-C too; what is there then is of no use.
 */
gboolean restore_tree(int folder, const snapshot_manifest *from, enum snapshot_part part,
                      object_store *store,
                      gboolean (*wants)(void *data, const snapshot_entry *entry), void *data,
                      GError **error);
