/* Images: look up, pull, build, import, remove. Long operations report progress. */
#pragma once

#include "podman/podman.h"

/* TRUE when the image exists; FALSE without ERROR when it does not. */
gboolean podman_image_exists(podman_client *self, const char *reference, GError **error);
json_t *podman_image_inspect(podman_client *self, const char *reference, GError **error);
/* Images that have LABEL ("key" or "key=value"; NULL: all), as Podman's JSON array. */
json_t *podman_image_list(podman_client *self, const char *label, GError **error);

/* Pulls REFERENCE and returns the image ID. */
char *podman_image_pull(podman_client *self, const char *reference, podman_progress_func progress,
                        gpointer user_data, GError **error);

typedef struct {
    const char *tag;              /* full reference, such as localhost/litterbox/NAME:latest */
    const char *containerfile;    /* path inside the context */
    const char *const *buildargs; /* "K=V", NULL-terminated; may be NULL */
    const char *const *labels;    /* "K=V", NULL-terminated; may be NULL */
    gboolean no_cache, pull_newer;
} podman_build;
/*
 * Builds from the tar that is read from the descriptor CONTEXT (a file, a memfd or a pipe). Returns
 * the image ID. On failure the error holds the last lines of the build's output, made safe.
 *
 * The image is tagged once the build is complete, so that the tag never names half an image. Steps
 * get their own network without the host's loopback interface, and the user's proxy variables, as
 * with podman-build(1). The build runs in its own Podman service and ends with the caller, however
 * that ends (build_reaper.h); with CONTAINER_HOST, Podman may continue with it.
 */
char *podman_image_build(podman_client *self, const podman_build *build, int context,
                         podman_progress_func progress, gpointer user_data, GError **error);
/* Imports a root file system from the tar on the descriptor TAR, and tags it REFERENCE. */
char *podman_image_import(podman_client *self, const char *reference, int tar,
                          podman_progress_func progress, gpointer user_data, GError **error);
/* BOX_ERROR_CONFLICT when a container uses it, BOX_ERROR_NOT_FOUND when it is missing. */
gboolean podman_image_remove(podman_client *self, const char *reference, GError **error);
/*
 * Removes dangling images that have LABEL (NULL: all), and the images that only they were built on.
 * *BYTES (may be NULL) is Podman's sum of their sizes, an upper bound of what was freed, because a
 * shared layer counts once for each image.
 */
gboolean podman_image_prune(podman_client *self, const char *label, gint64 *bytes, GError **error);
