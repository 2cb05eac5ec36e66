/* From [box] image and containerfile to an image that Podman has. */
#pragma once

#include "box/registry/registry.h"
#include "config/settings.h"
#include "podman/podman.h"

/* Labels of the images that we build. */
#define IMAGE_LABEL_BOX "litterbox.box"
#define IMAGE_LABEL_SOURCE "litterbox.source" /* hash of the Containerfile and its arguments */

typedef struct {
    char *reference; /* NULL: the host image, no image at all */
    char **env;      /* its "K=V"; NULL for the host image, or when it is not there */
} box_image;
void box_image_free(box_image *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(box_image, box_image_free)

typedef enum {
    IMAGE_AS_IT_IS, /* do not pull or build */
    IMAGE_GET,      /* pull or build it when it is not there */
    IMAGE_REBUILD,  /* build it anew, or pull a newer one */
} box_image_need;

/*
 * The image of SELF. Long work shows progress and can be ended with Ctrl-C. A new image is also
 * copied for the user's ids (keep-id) right away, so that no later start has to wait for that.
 */
box_image *image_resolve(const box *self, podman *server, const settings *wanted,
                         box_image_need need, GError **error);

/* --no-cache of `box build`. */
extern gboolean image_no_cache;
