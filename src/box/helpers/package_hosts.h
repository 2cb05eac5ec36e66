/*
 * "@apt" and "@npm" of [network] allow and deny: the hosts from which the box's image installs
 * packages, by the image's own configuration.
 *
 * They are read from a container when it is made, before anything has run in it and before a file
 * of an older one is kept in it (box/lifecycle/package_sources.h), and are kept in the box's data
 * folder, which no box can write. So what a box writes into its sources.list or .npmrc, and what a
 * project has in its own .npmrc, changes nothing: a host that is named there needs a rule of its
 * own. The record has the container that was started last first, and behind it another one, which
 * replaces it or was replaced.
 */
#pragma once

#include "box/registry/registry.h"

/* Most hosts of one group. */
#define PACKAGE_HOSTS_MAX 32

/* Adds LINES ("@apt NAME:PORT", NULL-terminated) as those of the new container ID. */
gboolean package_hosts_write(const struct box *self, const char *id, char *const *lines,
                             GError **error);
/*
 * What an image says, by its ID IMAGE, under which it never changes: to look into it takes Podman
 * as long as three starts of a box. In the state folder, for all boxes. LINES are as above;
 * of_image() returns a new list, or NULL when they are not known.
 */
char **package_hosts_of_image(const char *image);
/* Without effect when it cannot be written. */
void package_hosts_keep_image(const char *image, char *const *lines);

/* The new container ID has those of the container that comes first. */
gboolean package_hosts_inherit(const struct box *self, const char *id, GError **error);
/* The container ID is about to start: puts its hosts first. One that is not in the record was made
 * by an older Litterbox, and its hosts are unknown. */
gboolean package_hosts_choose(const struct box *self, const char *id, GError **error);
/* TRUE when the record says which hosts the container ID has, be it none. */
gboolean package_hosts_know(const struct box *self, const char *id);
/* The rules of GROUP, such as "@apt", for the container that comes first. NULL without ERROR: they
 * are not known. */
char **package_hosts_read(const struct box *self, const char *group, GError **error);
