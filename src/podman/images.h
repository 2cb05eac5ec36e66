/* Images: look up, pull, build, import, remove. Long ones report progress while they run. */
#pragma once

#include "podman/podman.h"

/*
 * One step of a pull or build, for progress.h to draw. TEXT is one line from Podman or from the
 * build's own programs, NOT yet safe, valid during the call. STEP of STEPS when known, else 0.
 */
typedef struct {
    const char *text;
    int step, steps;
    gint64 bytes;  /* sent so far where known, else -1 */
    gboolean tick; /* TEXT was reported before: some time has passed, redraw a clock */
} podman_progress;
typedef void (*podman_progress_func)(const podman_progress *progress, gpointer user_data);

/* TRUE when the image is there; FALSE without ERROR when it is not. */
gboolean podman_image_exists(podman *self, const char *reference, GError **error);
json_t *podman_image_inspect(podman *self, const char *reference, GError **error);
/* Images that carry LABEL ("key" or "key=value"; NULL: all), Podman's JSON array. */
json_t *podman_image_list(podman *self, const char *label, GError **error);

/* Pulls REFERENCE and returns the image ID. */
char *podman_image_pull(podman *self, const char *reference, podman_progress_func progress,
                        gpointer user_data, GError **error);

typedef struct {
    const char *tag;              /* full reference, such as localhost/litterbox/NAME:latest */
    const char *containerfile;    /* path inside the context */
    const char *const *buildargs; /* "K=V", NULL-terminated; may be NULL */
    const char *const *labels;    /* likewise */
    gboolean no_cache, pull_newer;
} podman_build;
/*
 * Builds from the context, a tar that is read from the descriptor CONTEXT (a file, a memfd or a
 * pipe). Returns the image ID. When it fails the error holds the last lines of the build's output,
 * made safe.
 *
 * The tag is given when the build is complete, so that it never names half an image. The steps have
 * a network of their own, without the host's loopback, and the user's proxy variables, as with
 * "podman build". The build runs in a Podman service of its own and ends with the caller, whatever
 * ends that (keeper.h); only with CONTAINER_HOST Podman may go on with it.
 */
char *podman_image_build(podman *self, const podman_build *build, int context,
                         podman_progress_func progress, gpointer user_data, GError **error);
/* Imports a root file system from the tar on the descriptor TAR, tagged REFERENCE. */
char *podman_image_import(podman *self, const char *reference, int tar,
                          podman_progress_func progress, gpointer user_data, GError **error);
/* BOX_ERROR_CONFLICT when a container uses it, BOX_ERROR_NOT_FOUND when missing. */
gboolean podman_image_remove(podman *self, const char *reference, GError **error);
/*
 * Removes dangling images that carry LABEL (NULL: all), and what only they were built on. *BYTES
 * (may be NULL) is Podman's sum of their sizes: shared layers count once for each image, so that it
 * is an upper bound of what was freed.
 */
gboolean podman_image_prune(podman *self, const char *label, gint64 *bytes, GError **error);
