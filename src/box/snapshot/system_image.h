/*
 * What is in a box's container outside of its mounts, such as what sudo has installed: an image of
 * Podman's, on the one that the box has.
 *
 * A manifest names it by its ID. Its tag, localhost/litterbox/snapshots/BOX:RANDOM, is for the eye
 * of the user, and so that Podman keeps it. It is made with the lock of the store, before its
 * manifest: whoever has that lock knows that an image without a manifest is of no use, and removes
 * it, unless a container or another image needs it.
 */
#pragma once

#include "box/lifecycle/removal.h"
#include "box/registry/box.h"
#include "box/snapshot/manifest.h"

/* Makes one of SELF's container, and sets what HEADER says of it. Programs of a box that runs are
 * paused meanwhile; HEADER says whether they were. FALSE with ERROR. */
gboolean system_image_save(const struct box *self, podman_client *server, snapshot_header *header,
                           GError **error);

/* Adds to ITEMS the images that no snapshot names; with ALL also the others, for when all snapshots
 * are gone by then. None is removed while a snapshot names it. FALSE with ERROR. */
gboolean system_images_plan(GPtrArray *items, podman_client *server, gboolean all, GError **error);
/* Removes those that no snapshot names. */
gboolean system_images_collect(podman_client *server, GError **error);
/* The same by a connection of its own. What fails is a warning: the next one, and 'box prune', try
 * again. */
void system_images_collect_or_warn(void);
