/*
 * From a registered box to a running one and back, through Podman.
 *
 * Every step may be killed at any moment: what exists is always asked from Podman again, never
 * remembered, and steps on one box are serialised by a lock in its runtime folder.
 */
#pragma once

#include "box/registry.h"
#include "config/config.h"
#include "podman/podman.h"

typedef enum {
    BOX_MISSING, /* no container */
    BOX_STOPPED,
    BOX_RUNNING,
    BOX_PAUSED,
    BOX_BROKEN, /* in a state between these, or not ours */
} box_state;

const char *box_state_name(box_state state);
/* From Podman's word for it ("running", "exited" …). */
box_state box_state_from_podman(const char *status);

typedef struct {
    box_state state;
    char *id;
    char *plan;     /* the hash it was created from; NULL when missing */
    char *image;    /* image reference, "" for the host image */
    char *started;  /* RFC 3339; NULL */
    int exit_code;  /* of the last run */
    pid_t pid;      /* of PID 1, as the host sees it; 0 */
    gboolean begun; /* not just prepared by Podman's "init" */
} box_container;
void box_container_free(box_container *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(box_container, box_container_free)

/* What Podman knows about SELF's container; BOX_ERROR_CONFLICT when another's bears its name. */
box_container *lifecycle_inspect(const box *self, podman *server, GError **error);

/*
 * Makes SELF run: prepares its image, creates and starts its container, whatever of that is
 * missing. Returns a connection to its control socket, or -1. FLAGS are configuration flags.
 */
int lifecycle_start(box *self, const char *const *flags, GError **error);

/* A connection to the box when it runs already; -1 with errno when it does not. */
int lifecycle_connect(const box *self);

/* Stops it. A box that does not run is success. */
gboolean lifecycle_stop(const box *self, podman *server, GError **error);

/* Removes the container alone: the home and the registration stay. */
gboolean lifecycle_discard(const box *self, podman *server, GError **error);

/* Takes the lock of SELF, making its runtime folder. Close the descriptor to release it. */
int lifecycle_lock(const box *self, GError **error);
