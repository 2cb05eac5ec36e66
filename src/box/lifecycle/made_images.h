/*
 * Images that Litterbox made: built for a box, from a template, or bootstrapped.
 *
 * A label alone does not tell, as an image inherits it from the one that it was built on. So one is
 * Litterbox's when it has the label and was also tagged by Litterbox of this instance; Podman
 * records the names that an image once had.
 */
#pragma once

#include <jansson.h>

#include "box/lifecycle/removal.h"

/* One image of Podman's, made by Litterbox or not. */
typedef struct {
    char *id, *parent;    /* 64 hex digits; PARENT may be "" */
    GPtrArray *names;     /* its names now; none: it was replaced, or is a step of a build */
    GPtrArray *users;     /* names of boxes and of other containers that use it; not safe */
    char *made_for;       /* "box shop", "template debian", "bootstrap"; NULL: not Litterbox's */
    gboolean is_layer;    /* of [box] packages; MADE_FOR is "packages ripgrep jq" */
    gboolean is_snapshot; /* it goes with that (box/snapshot/system_image.h), and by no plan here */
    gint64 size;          /* bytes, with all its layers; Podman's figure */
    gint64 created;       /* Unix time */
} made_image;

typedef struct made_images made_images;

/* What Podman has. Containers whose names are in IGNORED (a set; may be NULL) use no image. NULL
 * with ERROR. SERVER must outlive it. */
made_images *made_images_find(podman_client *server, GHashTable *ignored, GError **error);
void made_images_free(made_images *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(made_images, made_images_free)

/* The first text that begins with PREFIX, of the array at KEY ("Names", "History") of IMAGE, of
 * Podman's list; NULL. */
const char *made_image_find_name(const json_t *image, const char *key, const char *prefix);
/* Those that Litterbox made, the oldest first: of made_image, owned by SELF; a new array. */
GPtrArray *made_images_list(const made_images *self);
/* Its first name, or its short ID in angle brackets; a new string. Not safe. */
char *made_image_title(const made_image *image);
/* Bytes on the disk that the removal of IMAGE alone would free: no layer of another image, and the
 * copies of it for other ids. -1: unknown. */
gint64 made_images_freed_by(made_images *self, const made_image *image);

/* Add to a plan the images that were replaced and layers of packages, if nothing uses them, or all.
 * Of layers that several of them share, the last one that goes counts the size. */
void made_images_plan_replaced(made_images *self, GPtrArray *items);
void made_images_plan_all(made_images *self, GPtrArray *items);
