/* What Podman knows about the container of a box. */
#pragma once

#include "box/registry/registry.h"
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
    char *plan;      /* the hash it was created from; NULL when missing */
    char *image;     /* image reference, "" for the host image */
    char *started;   /* RFC 3339; NULL */
    int exit_code;   /* of the last run */
    pid_t pid;       /* of PID 1, as the host sees it; 0 */
    gboolean begun;  /* not just prepared by Podman's "init" */
    json_t *inspect; /* all that Podman says of it; NULL when that is nothing */
} box_container;
void box_container_free(box_container *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(box_container, box_container_free)

/* TRUE while its PID 1 is there. */
gboolean container_is_alive(const box_container *self);

/* What Podman knows about SELF's container; BOX_ERROR_CONFLICT when another's bears its name. */
box_container *container_inspect(const box *self, podman *server, GError **error);
/* The error of a command that a paused SELF cannot serve. */
void container_say_paused(const box *self, GError **error);
