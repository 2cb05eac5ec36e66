/*
 * Every box there is: what is registered joined with what Podman knows, for list, status, prune and
 * completion. A container of ours without a registration ("orphan") is shown too.
 */
#pragma once

#include "box/lifecycle.h"

typedef struct {
    char *name;
    char *project; /* as registered, else as the container's label says (hostile) */
    box_state state;
    gboolean registered;
    gboolean ephemeral; /* a throw-away box, in use */
    char *container;    /* Podman's name */
    char *image;        /* "host", or the container's image */
    char *started;      /* RFC 3339 while it runs, else NULL */
    gint64 sessions;    /* -1 when it does not run */
    gint64 idle_left;   /* seconds until it stops by itself; -1: not counting */
} overview_row;

/* Rows sorted by name; free with g_ptr_array_unref. */
GPtrArray *overview_collect(podman *server, GError **error);
/* Asks box-init of a running row how many sessions it has. */
void overview_ask(overview_row *row);
/* The documented JSON of one row. */
json_t *overview_json(const overview_row *row);
