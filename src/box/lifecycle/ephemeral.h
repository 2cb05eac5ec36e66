/*
 * Ephemeral boxes: a fresh home, one command, and nothing is left.
 *
 *   data/ephemeral/NAME/       the box's data folder with its home
 *   data/ephemeral/NAME.lock   held by the `box` that uses it; others may then not remove it
 */
#pragma once

#include "box/registry/registry.h"
#include "podman/podman.h"

typedef struct {
    struct box *box;
    int lock;
} ephemeral_box;

/* An ephemeral box of OF's project that shows all of it, or only the relative paths ONLY (may be
 * NULL). FALSE with ERROR. */
gboolean ephemeral_box_create(ephemeral_box *self, const struct box *of, const char *const *only,
                              GError **error);
/* Removes its container and folders. FALSE with ERROR when the container may still be there. What
 * is left is removed by a later sweep. */
gboolean ephemeral_box_remove(ephemeral_box *self, GError **error);

/* The names of those that a sweep would remove; free with g_strfreev(). */
char **ephemeral_boxes_left(void);
/* Removes what is left of NAME. FALSE when it is in use, or could not be removed. */
gboolean ephemeral_box_sweep(const char *name, podman_client *server);
/* The data folder of NAME, a new string. */
char *ephemeral_box_data_path(const char *name);
/* TRUE when NAME is an ephemeral box. */
gboolean ephemeral_box_exists(const char *name);
