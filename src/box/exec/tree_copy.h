/* Copies files and folders between a box and the host, by a session in the box (tree/). */
#pragma once

#include "box/registry/registry.h"
#include "config/settings.h"

/* One side on the host: the entry NAME in FOLDER, a descriptor. */
typedef struct {
    int folder;
    char *name;
    char *path; /* of FOLDER, absolute */
} tree_place;
void tree_place_clear(tree_place *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(tree_place, tree_place_clear)

/*
 * Where PATH of the host leads, as a source: it must exist; as a target: a folder, in which NAME
 * is to be made, or else a new name. Follows no link that a box could have made. FALSE with ERROR.
 */
gboolean tree_place_source(tree_place *self, const char *path, GError **error);
gboolean tree_place_target(tree_place *self, const char *path, const char *name, GError **error);

typedef struct {
    gboolean root;          /* as root of the box */
    const settings *wanted; /* of the project: what it protects is left out, but for the top */
    gboolean protected;     /* copies that, too */
} tree_copy_options;

/*
 * Starts SELF if it does not run, and copies PATH of the box (relative to the home) to TO. What is
 * left out is shown, and is an error in the end.
 */
gboolean tree_copy_from_box(struct box *self, const char *path, const tree_place *to,
                            const tree_copy_options *options, GError **error);
/* The same from FROM into the box: into the folder PATH under NAME, or as PATH. */
gboolean tree_copy_to_box(struct box *self, const tree_place *from, const char *path,
                          const char *name, const tree_copy_options *options, GError **error);
