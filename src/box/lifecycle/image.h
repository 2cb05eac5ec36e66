/* The image of a box: [box] image and containerfile, built or pulled with Podman. */
#pragma once

#include "box/registry/registry.h"
#include "config/settings.h"
#include "podman/podman.h"

/* Labels of images that Litterbox builds. */
#define IMAGE_LABEL_BOX "litterbox.box"
#define IMAGE_LABEL_SOURCE "litterbox.source"     /* hash of the Containerfile and its arguments */
#define IMAGE_LABEL_PACKAGES "litterbox.packages" /* of a layer of [box] packages: their names */

typedef struct {
    char *reference;   /* NULL: the host image, which Podman does not know */
    char **env;        /* its "K=V"; NULL: the host image, or Podman does not have it */
    char *id;          /* Podman's; NULL as ENV */
    gboolean is_stale; /* its Containerfile, or what its packages are on, has changed since */
} box_image;
void box_image_free(box_image *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(box_image, box_image_free)

typedef enum {
    IMAGE_KEEP,          /* do not pull or build */
    IMAGE_FETCH_MISSING, /* pull or build it if Podman does not have it */
    IMAGE_FETCH_STALE,   /* the same, and build it again if its Containerfile has changed */
    IMAGE_REBUILD,       /* build it again, or pull a newer one */
} image_update;

/*
 * The image of SELF. NULL with ERROR. Long work shows its progress and ends with Ctrl-C. A new
 * image is also copied for the user's ids (keep-id), so that no later start has to wait for it.
 */
box_image *box_image_resolve(const struct box *self, podman_client *server, const settings *wanted,
                             image_update update, GError **error);

/* --no-cache of `box build`. */
extern gboolean image_no_cache;
/* 'box upgrade': the image that a Containerfile starts FROM is pulled when there is a newer one. */
extern gboolean image_pull_base;
/* 'box build --proxy': the steps of a project's Containerfile get the user's proxy variables. */
extern gboolean image_proxy;

/*
 * image_bootstrap.c: creates the base image of DISTRIBUTION ("debian", "debian:trixie") with
 * mmdebstrap(1) from the host's own apt mirror where that has it, and tags it so that FROM in a
 * Containerfile finds it. FALSE with ERROR.
 */
gboolean image_bootstrap(podman_client *server, const char *distribution, GError **error);

/*
 * image_progress.c: a long operation of Podman on an image: shows its progress, and lets Ctrl-C
 * cancel it.
 *
 * While an image_progress exists, SIGINT and SIGTERM cancel Podman's calls (podman_cancel()), which
 * then fail with BOX_ERROR_CANCELLED, so that the caller can clean up. Only one can exist.
 */

typedef struct image_progress image_progress;

/*
 * With --json each step is a line on standard output, {"step":…,"steps":…,"bytes":…,"text":…}; with
 * --quiet there is no output. On a terminal one line is redrawn; otherwise each line of the
 * operation is printed to standard error.
 */
image_progress *image_progress_new(gboolean quiet, gboolean json);
/* Erases the redrawn line, and restores the signals. */
void image_progress_free(image_progress *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(image_progress, image_progress_free)

/* A podman_progress_func; the user data is the image_progress. */
void image_progress_report(const podman_progress *step, gpointer self);
/* Prints LINES, which are safe, above the progress; not with --json. */
void image_progress_notice(image_progress *self, const char *lines);
