/* Shows how a pull or a build gets on: one redrawn line on a terminal, plain lines elsewhere. */
#pragma once

#include "podman/images.h"

typedef enum {
    PROGRESS_LINES,  /* every line as it comes: no terminal */
    PROGRESS_REDRAW, /* the last line, with step and time */
    PROGRESS_JSON,   /* {"step":…,"steps":…,"text":…} a line, on stdout */
    PROGRESS_QUIET,
} progress_mode;

typedef struct progress progress;

/* The mode that --quiet, --json and stderr ask for. */
progress_mode progress_choose(gboolean quiet, gboolean json);
progress *progress_new(progress_mode mode);
/* Erases the redrawn line. */
void progress_free(progress *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(progress, progress_free)

/* A podman_progress_func; the user data is the progress. */
void progress_take(const podman_progress *step, gpointer self);
