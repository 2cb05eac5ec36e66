/*
 * The forwards of a box: ports of the host that lead into it while it runs.
 *
 *   runtime/NAME/ports      those of this run; the forwarder does what this says
 *   data/boxes/NAME/ports   those that are kept, and become those of each run
 */
#pragma once

#include "box/registry/registry.h"
#include "proto/port_mapping.h"

typedef struct {
    port_mapping *mapping;
    gboolean kept;
    int error; /* 0: is listened on, else an errno; -1: the box does not run */
} port_forward;

/*
 * The forwards of SELF, of port_forward, whether it is RUNNING or not. A forwarder
 * that has died is started again. Free with g_ptr_array_unref.
 */
GPtrArray *ports_list(const box *self, gboolean running, GError **error);

/*
 * Adds MAPPING for as long as the box runs, or with KEEP for every run; when it is not RUNNING it
 * can only be kept. *AGAIN: it was there already. Nothing is changed on an error.
 */
gboolean ports_add(const box *self, gboolean running, const port_mapping *mapping, gboolean keep,
                   gboolean *again, GError **error);

/* Removes those that MATCH chooses, kept or not, and their connections. Returns how many; -1. */
int ports_remove(const box *self, gboolean running,
                 gboolean (*match)(const port_mapping *mapping, const void *data), const void *data,
                 GError **error);

/* SELF is about to be started: of its last run only what is kept stays. */
gboolean ports_prepare(const box *self, GError **error);
/* It has been started: what is kept is listened on. A failure is a warning. */
void ports_open(const box *self);
