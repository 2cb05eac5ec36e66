/*
 * Is a box that Podman has prepared, or started, the one that was asked for?
 *
 * An image, and root of a box, decide what stands in a container's root, and so where its mounts
 * get to: with a link in the place of /run, box-init would be mounted elsewhere, and the path of
 * PID 1 would lead to a program of theirs. And who can write in a folder above the source of a
 * mount (another box, with a project or a share there) can put a link in its place after we looked
 * and before the runtime mounts it. So both are looked at again, from outside, when all is mounted
 * and nothing of the box runs yet.
 */
#pragma once

#include "box/container.h"

/*
 * NOW is prepared ("init") and not started. FALSE with ERROR unless box-init stands where it will
 * be executed, and what is mounted from the project or the user's home is what has that name on the
 * host, reached through no link.
 */
gboolean verify_mounts(const box *self, const box_container *now, GError **error);

/* NOW runs: FALSE with ERROR unless its PID 1 is our box-init. */
gboolean verify_init(const box *self, const box_container *now, GError **error);
