/*
 * Throw-away boxes: a fresh home, one command, and nothing left.
 *
 *   data/ephemeral/NAME/       the box's data folder, home included
 *   data/ephemeral/NAME.lock   held by the `box` that uses it: who gets the lock may sweep
 */
#pragma once

#include "box/registry/registry.h"
#include "podman/podman.h"

typedef struct {
    box *box;
    int lock;
} ephemeral;

/* A throw-away box of OF's project that shows all of it, or just ONLY (relative paths; or NULL). */
gboolean ephemeral_begin(ephemeral *self, const box *of, const char *const *only, GError **error);
/* Removes its container and folders. What fails here is swept later. */
void ephemeral_end(ephemeral *self);

/* Removes what killed `box` processes left. Returns how many. */
int ephemeral_sweep(podman *server);
/* TRUE when NAME is a throw-away box. */
gboolean ephemeral_exists(const char *name);
