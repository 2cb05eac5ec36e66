/*
 * Replaces a box's container by a new one, and keeps the old one until the new one has started.
 *
 * The new container is created under the name NEXT. replace_swap() gives it the box's name and
 * keeps the old one under the name OLD. Box names have no upper case, so no other box has these.
 * A file in the box's data folder says that this is under way, so that after a kill or a crash
 * replace_repair() finds what is left. All calls need the box's lock.
 */
#pragma once

#include "box/registry/registry.h"
#include "podman/podman.h"

/* TRUE for the name of SELF's container, and for its NEXT and OLD. CONTAINER may be NULL. */
gboolean replace_is_of(const struct box *self, const char *container);

/* The name under which to create the new container, a new string. Removes what has it. NULL with
 * ERROR. */
char *replace_begin(const struct box *self, podman_client *server, GError **error);

/* That name, a new string. */
char *replace_next_name(const struct box *self);

/* Gives the new container the name of the box. The old one must be stopped, and may be missing.
 * FALSE with ERROR: the old one has its name still or again. */
gboolean replace_swap(const struct box *self, podman_client *server, GError **error);

/* Removes the containers NEXT and OLD of SELF, also where no file says that they are there: Podman
 * may have created one after its box was removed. */
gboolean replace_remove_others(const struct box *self, podman_client *server, GError **error);

/* The same where one is being replaced, which ends with that: for a new one that has started. */
gboolean replace_finish(const struct box *self, podman_client *server, GError **error);

/* Removes the new container, under whichever name, and gives the old one its name back. */
gboolean replace_undo(const struct box *self, podman_client *server, GError **error);

/* TRUE between replace_begin() and replace_finish() or replace_undo(), over all kills. */
gboolean replace_is_open(const struct box *self);

/* Ends what a killed command left: the container with the box's name stays if it was ever started,
 * else the old one comes back. Repeated at each start for a while, as Podman may still be creating
 * the new one. Does nothing where none is replaced. */
gboolean replace_repair(const struct box *self, podman_client *server, GError **error);
