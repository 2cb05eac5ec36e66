/* What no project needs any more, of this instance alone. Looks first, removes later. */
#pragma once

#include "podman/podman.h"

typedef enum {
    PRUNE_CONTAINER, /* of a box that is not registered any more */
    PRUNE_HOME,      /* of a project whose folder is gone */
    PRUNE_DATA,      /* of a box whose removal was interrupted, or that was set aside */
    PRUNE_RUNTIME,   /* sockets and locks of a box that is not there */
} prune_kind;

typedef struct {
    prune_kind kind;
    gboolean precious; /* holds a home, so what nothing else does */
    char *name;        /* the box's; valid as such */
    char *what;        /* for people, safe: "home of box 'shop' (1.2 GiB), whose project …" */
} prune_item;

/* Of prune_item; free with g_ptr_array_unref. NULL with ERROR when Podman cannot tell. */
GPtrArray *prune_collect(podman *server, GError **error);
/* Looks again before it removes: much may have happened while the user was asked. What is in use by
 * then stays: success, and not *REMOVED. */
gboolean prune_remove(const prune_item *item, podman *server, gboolean *removed, GError **error);
