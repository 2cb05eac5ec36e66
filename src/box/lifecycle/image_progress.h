/*
 * A long operation of Podman on an image: shows its progress, and lets Ctrl-C cancel it.
 *
 * While an image_progress exists, SIGINT and SIGTERM cancel Podman's calls (podman_cancel()), which
 * then fail with BOX_ERROR_CANCELLED, so that the caller can clean up. Only one can exist.
 */
#pragma once

#include "podman/podman.h"

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
