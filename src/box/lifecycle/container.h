/*
 * The container of a box: what Podman knows about it, and its lock.
 *
 * The lowest module of this room: container < create, launch, ports < lifecycle.
 */
#pragma once

#include <sys/types.h>

#include "box/registry/registry.h"
#include "box/session/connection.h"
#include "podman/podman.h"

typedef enum {
    BOX_MISSING, /* no container */
    BOX_STOPPED,
    BOX_RUNNING,
    BOX_PAUSED,
    BOX_BROKEN, /* in another state, left by a killed Podman or conmon */
} box_state;

const char *box_state_name(box_state state);
/* Parses Podman's status ("running", "exited" …). */
box_state box_state_parse(const char *status);

typedef struct {
    box_state state;
    char *id;
    char *plan;       /* hash of the plan that it was created from, or NULL */
    char *image;      /* image reference, "" for the host image */
    char *base_image; /* ID of the image that the plan has, also below one of a snapshot; or NULL */
    char *started;    /* RFC 3339, or NULL */
    int exit_code;    /* of the last run */
    pid_t pid;        /* of PID 1 on the host; 0: not running */
    gboolean begun;   /* started, not only prepared by Podman's "init" */
    gboolean is_new;  /* never started, and without files of the container before it */
    json_t *inspect;  /* Podman's inspect document, or NULL */
} box_container;
void box_container_free(box_container *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(box_container, box_container_free)

/* TRUE while its PID 1 exists and is not a zombie. */
gboolean box_container_is_alive(const box_container *self);

/* What Podman knows about SELF's container. NULL with ERROR; BOX_ERROR_CONFLICT when a container of
 * another program has its name. */
box_container *box_container_inspect(const struct box *self, podman_client *server, GError **error);

/* TRUE when NAME is WANTED, the name of a container of Litterbox's, or the one that Litterbox 0.3
 * gave it; box_container_inspect() gives such a container its own. NAME may be NULL. */
gboolean container_name_is(const char *name, const char *wanted);

/* The base_image of box_container, from an inspect document; a new string. */
char *container_base_image(const json_t *inspect);

/* Takes the lock of SELF, and creates its runtime folder. A descriptor, which the caller closes to
 * release the lock; -1 with ERROR. Says so when it has to wait. */
int box_lock(const struct box *self, GError **error);
/* The same for what must not happen to another box: -1 with BOX_ERROR_NOT_FOUND when SELF was
 * removed, renamed or moved since it was looked up, as while a question was open. The name may be
 * another box's by now. */
int box_lock_registered(const struct box *self, GError **error);
/* Number of sessions that end with SELF, without one that has just ended. 0 when it does not run.
 */
guint box_count_sessions(const struct box *self);
/* What sessions of SELF have left running, as left_programs_text(). */
char *box_describe_left(const struct box *self);
/* "2 sessions are open in box 'shop' and will end, with tmux (2 processes)", a new string; NULL
 * when none is open and nothing was left running. */
char *box_describe_sessions(const struct box *self);

/*
 * TRUE when the container NOW may run although its plan differs from REQUEST: it may do nothing
 * that REQUEST does not allow, protects what REQUEST protects, and can still be started.
 */
gboolean container_may_be_kept(const box_container *now, const json_t *request);

/* Work in the namespaces of a box in which nothing of the box runs yet. */

/*
 * Calls WORK with DATA in a child that has entered the user and mount namespace of PID, where it
 * has all capabilities. It must not allocate memory: a thread of `box`, should there be another,
 * may have held that lock. Returns 0 when WORK did, or the errno of what failed.
 */
int box_namespaces_run(pid_t pid, int (*work)(const void *data), const void *data);

/*
 * Kills a process that the OCI runtime has prepared for the container ID, when Podman was killed
 * before it could start it. Nothing of the box has run in it. Only for a container that Podman
 * considers stopped.
 */
void runtime_orphans_kill(const char *id);
