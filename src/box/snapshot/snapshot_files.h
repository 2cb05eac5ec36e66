/*
 * The snapshots of a box: data/boxes/NAME/snapshots/NUMBER, each a manifest. They go with the box:
 * with its name, and when it is removed.
 */
#pragma once

#include "box/registry/box.h"
#include "box/snapshot/manifest.h"

/* The numbers that there are, ascending; of guint. Where they cannot be read there are none, with a
 * warning. */
GArray *snapshot_numbers(const struct box *self);
/* FALSE with ERROR; BOX_ERROR_NOT_FOUND when there is no such snapshot. */
gboolean snapshot_read_header(const struct box *self, guint number, snapshot_header *header,
                              GError **error);
snapshot_manifest *snapshot_read(const struct box *self, guint number, GError **error);
/* Writes a new one, with a number above all that there were: a question, a note or a command may be
 * about one that is gone by now. */
gboolean snapshot_write(const struct box *self, const snapshot_manifest *manifest, guint *number,
                        GError **error);
gboolean snapshot_remove(const struct box *self, guint number, GError **error);
/* The same for one that nobody was told of: the next one gets its number. */
gboolean snapshot_take_back(const struct box *self, guint number, GError **error);
/* Adds the objects of all snapshots of all boxes to USED. FALSE with ERROR when one cannot be read.
 * With the store's lock. */
gboolean snapshot_files_used(GHashTable *used, GError **error);
/* Adds the IDs of the images of all of them to USED, as new strings. */
gboolean snapshot_files_images(GHashTable *used, GError **error);
