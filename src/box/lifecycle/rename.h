/* Gives a box another name: what is known under its name goes along. */
#pragma once

#include "box/registry/registry.h"
#include "podman/podman.h"

/*
 * Renames SELF to NAME: data folder and home, the user's boxes/NAME.toml, devices and kept ports,
 * attached keys, consents, menu entries, image. Its container, which has the old name in it, is
 * removed, after a question (YES: without one) if sessions would end or installed files be lost;
 * the next start creates it. A box that ran runs afterwards, and *RUNS is TRUE.
 */
gboolean box_rename(struct box *self, const char *name, podman_client *server, gboolean yes,
                    gboolean *runs, GError **error);

/* Asks whether SELF, a box or a branch, may have another name, if sessions would end or installed
 * files be lost (YES: asks nothing). *RUNS: it does. FALSE with ERROR, also for a no. */
gboolean box_rename_confirm(const struct box *self, podman_client *server, gboolean yes,
                            gboolean *runs, GError **error);

/*
 * Completes what a killed box_rename() has begun, or forgets it when nothing was renamed yet. Call
 * it before anything looks for boxes; costs one access(2). What fails is a warning, and is tried
 * again by the next command.
 */
void box_rename_repair(void);
