/*
 * The port forwards of a box: ports of the host that lead into it while it runs.
 *
 *   runtime/NAME/ports      those of the current run; the forwarder follows this list
 *   data/boxes/NAME/ports   kept ones, which each run starts with
 */
#pragma once

#include "box/registry/registry.h"
#include "proto/port_mapping.h"

typedef struct {
    port_mapping *mapping;
    gboolean kept;
    int error; /* 0: the host listens; positive: errno of listening; -1: the box is not running */
} port_forward;

/*
 * The forwards of SELF, of port_forward; free with g_ptr_array_unref(). Restarts a forwarder that
 * has died. NULL with ERROR.
 */
GPtrArray *port_forwards_list(const struct box *self, gboolean running, GError **error);

/*
 * Adds MAPPING for the current run, or with KEEP for each run; without RUNNING only with KEEP.
 * *AGAIN: it existed already. On an error nothing changes.
 */
gboolean port_forwards_add(const struct box *self, gboolean running, const port_mapping *mapping,
                           gboolean keep, gboolean *again, GError **error);

/* Removes the forwards for which MATCH is TRUE, kept or not, and closes their connections. Returns
 * how many; -1 with ERROR. */
int port_forwards_remove(const struct box *self, gboolean running,
                         gboolean (*match)(const port_mapping *mapping, const void *data),
                         const void *data, GError **error);

/* Call it before SELF starts: drops the last run's forwards except for kept ones. */
gboolean port_forwards_prepare(const struct box *self, GError **error);
/* Call it once SELF runs: listens on the ports of kept forwards. A failure is a warning. */
void port_forwards_open(const struct box *self);
