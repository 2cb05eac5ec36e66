/* A new box with a copy of another one's home and of the user's settings for it. */
#pragma once

#include "box/registry/registry.h"
#include "podman/podman.h"

/*
 * Registers PROJECT, which may become one and has no box, under the name WANTED (NULL: see
 * box_name_choose()), with a copy of the home of SOURCE, which must not run, and of its
 * boxes/NAME.toml. The new box is registered when its copy is complete and on the disk. Owners,
 * hard links, set-user-ID and file capabilities are not kept; what else is left out is shown. NULL
 * with ERROR, and nothing of a copy is left; BOX_ERROR_CANCELLED after Ctrl-C.
 */
struct box *box_clone(const struct box *source, const char *project, const char *wanted,
                      podman_client *server, GError **error);

/* Removes what a killed box_clone() has left. Call it before anything looks for boxes; costs one
 * access(2). What fails is a warning, and is tried again by the next command. */
void box_clone_repair(void);
