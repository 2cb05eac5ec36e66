/*
 * From a registered box to a running one and back, through Podman.
 *
 * Every step may be killed at any moment: what exists is always asked from Podman again, never
 * remembered, and steps on one box are serialised by a lock in its runtime folder.
 */
#pragma once

#include "box/container.h"
#include "config/config.h"
#include "podman/podman.h"

/*
 * Makes SELF run: prepares its image, creates and starts its container, whatever of that is
 * missing. Returns a connection to its control socket, or -1. FLAGS are configuration flags.
 */
int lifecycle_start(box *self, const char *const *flags, GError **error);

/* A connection to the box when it runs already; -1 with errno when it does not. */
int lifecycle_connect(const box *self);

/* Stops it. A box that does not run is success. */
gboolean lifecycle_stop(const box *self, podman *server, GError **error);

/* Removes the container alone: the home and the registration stay. */
gboolean lifecycle_discard(const box *self, podman *server, GError **error);

/*
 * Takes from SELF what it may do on the host: its keys and grants, its windows, its menu entries.
 * Comes before the name is given up, so that no crash leaves that to the next box of its name.
 */
void lifecycle_forget(const box *self);

/* Takes the lock of SELF, making its runtime folder. Close the descriptor to release it. */
int lifecycle_lock(const box *self, GError **error);
