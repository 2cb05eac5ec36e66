/* Finds and removes what no project needs any more, in this instance only. */
#pragma once

#include "podman/podman.h"

typedef enum {
    PRUNE_CONTAINER, /* of a box that is not registered */
    PRUNE_HOME,      /* of a project whose folder does not exist */
    PRUNE_DATA,      /* of a box whose removal was interrupted, or that was set aside */
    PRUNE_RUNTIME,   /* sockets and locks of a box that does not exist */
} prune_kind;

typedef struct {
    prune_kind kind;
    gboolean precious; /* contains a home, of which there is no copy */
    char *name;        /* a valid name of a box */
    char *what;        /* safe text: "home of box 'shop' (1.2 GiB), whose project …" */
} prune_item;

/* Of prune_item; free with g_ptr_array_unref(). NULL with ERROR when Podman does not answer. */
GPtrArray *prune_find_items(podman_client *server, GError **error);
/* Removes ITEM. Checks it again first, because it may be in use by now: then *REMOVED is FALSE, and
 * that is success. */
gboolean prune_remove_item(const prune_item *item, podman_client *server, gboolean *removed,
                           GError **error);
