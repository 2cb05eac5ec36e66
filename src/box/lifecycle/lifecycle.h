/*
 * From a registered box to a running one and back, through Podman.
 *
 * Each step may be killed at any moment. So the state is always read from Podman again, never
 * remembered, and a lock (box_lock()) serialises the steps on one box.
 */
#pragma once

#include "box/lifecycle/container.h"
#include "config/config.h"
#include "plan/plan.h"

/*
 * Starts SELF, and first fetches its image and creates its container where they are missing.
 * Returns a connection to its control socket, or -1 with ERROR. FLAGS are configuration flags.
 */
int box_start(struct box *self, const char *const *flags, GError **error);
/* Starts SELF if need be. FALSE with ERROR, also when it is paused. */
gboolean box_ensure_running(struct box *self, GError **error);

/*
 * apply.c: recreates SELF from its configuration. Builds a stale image, creates the new container
 * beside the old one, and replaces that only then; it comes back when the new one does not start.
 * Asks before sessions end or installed files are lost. A running box runs afterwards, and *RUNS is
 * TRUE. FLAGS: enum box_apply_flags.
 */
enum box_apply_flags {
    BOX_APPLY_YES = 1 << 0,        /* without a question */
    BOX_APPLY_KEEP_FILES = 1 << 2, /* files outside the home are kept (keep_files.h) */
    BOX_APPLY_UPGRADE = 1 << 1, /* pulls or builds the image anew; leaves SELF if it is the same */
};
gboolean box_apply(struct box *self, podman_client *server, unsigned flags, gboolean *runs,
                   GError **error);

/* "end 2 sessions, end tmux (2 processes) and delete 3 files outside its home, …": what SELF, which
 * RUNS, loses with its container; CONTENTS is of container_diff_describe(). A new string; NULL:
 * nothing. */
char *box_describe_loss(const struct box *self, gboolean runs, const char *contents);
/* How box_confirm_loss() speaks of it. */
typedef struct {
    const char *doing;    /* "recreating" */
    const char *question; /* "Recreate it?" */
    const char *advice;   /* how to keep what would be lost; or NULL */
} box_loss_words;
/* Shows LOSS (NULL: none) and asks; YES: asks nothing. FALSE with ERROR when the answer is no, or
 * without a terminal. */
gboolean box_confirm_loss(const struct box *self, const char *loss, gboolean yes,
                          const box_loss_words *words, GError **error);

/* Stops SELF. A box that is not running is success. */
gboolean box_stop(const struct box *self, podman_client *server, GError **error);

/* Removes only the container: home and registration stay. */
gboolean box_remove_container(const struct box *self, podman_client *server, GError **error);

/*
 * Revokes what SELF may do on the host: its keys and grants, its windows, its menu entries. Call it
 * before the name becomes free, so that a crash cannot leave them to the next box with this name.
 */
void box_revoke_host_access(const struct box *self);

/* For apply.c, with the box's lock. box_start() without repair of a replacement. */
int box_start_locked(struct box *self, const char *const *flags, GError **error);
/* Starts the container that SELF has, also when its configuration has changed since. A connection
 * to its control socket, also when it runs; -1 with ERROR. */
int box_start_unchanged(struct box *self, podman_client *server, const config *loaded,
                        GError **error);

/* create.c: from settings to a container that can be started. */

/* The plan of SELF with SETTINGS_READ on this machine. Changes nothing, fetches no image. NULL with
 * ERROR. */
plan *box_make_plan(const struct box *self, podman_client *server, const config *loaded,
                    GError **error);

typedef enum {
    BOX_DRIFT_NONE,
    BOX_DRIFT_CONFIG, /* the configuration has changed since the container was created */
    BOX_DRIFT_IMAGE,  /* its image was built or pulled again, or its Containerfile has changed */
    BOX_DRIFT_UNKNOWN,
} box_drift;

/* How the container NOW of SELF differs from what 'box apply' would create. Changes nothing. */
box_drift box_find_drift(const struct box *self, podman_client *server, const config *loaded,
                         const box_container *now);

/* Creates the folders of SELF that a start needs, with none of an earlier run's sockets. */
gboolean box_make_folders(const struct box *self, GError **error);

/* The image of a snapshot, with what sudo had installed in a box, and the one that it is on: IDs.
 * Only its files count: the configuration of a container is always the plan's. */
typedef struct {
    const char *image, *base;
} box_layer;

/* Creates the container that will replace the one of SELF, which may be running (replace.h); with
 * LAYER (or NULL) on that. */
gboolean box_create_next(struct box *self, podman_client *server, const config *loaded,
                         const box_layer *layer, GError **error);

/* apply.c: recreates SELF on LAYER, likewise. SELF is locked, and has been stopped. FALSE with
 * ERROR: it is what it was. */
gboolean box_recreate_on(struct box *self, podman_client *server, const box_layer *layer,
                         GError **error);

/*
 * Prepares SELF, whose container NOW is not running, for a start: folders, image, files to mount,
 * container. A container with another plan is created again; the home stays. Files that were
 * installed in it are not lost without a yes (container.h). *ID, a new string, is the
 * container's ID. FALSE with ERROR.
 */
gboolean box_prepare_container(struct box *self, podman_client *server, const config *loaded,
                               const box_container *now, char **id, GError **error);
