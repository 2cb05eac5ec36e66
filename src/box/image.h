/* From [box] image and containerfile to an image that Podman has. */
#pragma once

#include "box/registry.h"
#include "config/settings.h"
#include "podman/podman.h"

typedef struct {
    char *reference; /* NULL: the host image, no image at all */
    char **env;      /* its "K=V"; NULL for the host image */
} box_image;
void box_image_free(box_image *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(box_image, box_image_free)

typedef enum {
    IMAGE_AS_IT_IS, /* do not pull or build; env is empty when it is not there */
    IMAGE_GET,      /* pull or build it when it is not there */
    IMAGE_REBUILD,  /* build it anew, or pull a newer one */
} box_image_need;

/* The image of SELF. Long work shows progress; Ctrl-C ends it. */
box_image *image_resolve(const box *self, podman *server, const settings *wanted,
                         box_image_need need, GError **error);
