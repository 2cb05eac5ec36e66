/*
 * All boxes: the registered ones joined with Podman's containers, for list, status, prune and
 * completion. It includes containers of Litterbox without a registration.
 */
#pragma once

#include <sys/types.h>

#include "box/lifecycle/container.h"
#include "proto/session.h"

typedef struct {
    char *name;
    char *project; /* as registered, else from the container's label (not safe) */
    box_state state;
    gboolean registered;
    gboolean ephemeral;       /* an ephemeral box that is in use */
    gboolean branch;          /* the box of a branch */
    char *container;          /* Podman's name */
    char *id;                 /* of the container; NULL: there is none */
    pid_t init;               /* PID 1 of a running box, on the host; else 0 */
    char *image;              /* "host", or the container's image */
    gint64 started;           /* Unix time while it runs, else 0 */
    gint64 sessions;          /* -1: not running */
    gint64 idle_left;         /* seconds until it stops by itself; -1: not counting */
    struct session_left left; /* what sessions have left running */
} overview_row;

/* Of overview_row, sorted by name; free with g_ptr_array_unref(). NULL with ERROR. */
GPtrArray *box_overview(podman_client *server, GError **error);
/* Sets sessions, idle_left and left of a running row, with a request to its box-init. */
void overview_row_query_sessions(overview_row *row);
/* Why the row is there though it is of no use, and the command that ends it: a sentence, safe to
 * show, a new string; NULL when it is in order. */
char *overview_row_problem(const overview_row *row);
/* The documented JSON of one row. */
json_t *overview_row_to_json(const overview_row *row);
