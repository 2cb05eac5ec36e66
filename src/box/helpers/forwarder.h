/* The forwarder of a running box (litterbox-port), as `box` starts and asks it. */
#pragma once

#include "box/registry/registry.h"

/*
 * Makes SELF's forwarder apply the port list in the runtime folder, and starts the forwarder if the
 * list is not empty. Returns a table from port_mapping_text() to 0 or the errno of listening. NULL
 * with ERROR when the forwarder does not work.
 */
GHashTable *forwarder_sync(const struct box *self, GError **error);

/* Makes SELF's forwarder read the list again if it is running. Does not wait for it. */
void forwarder_notify(const struct box *self);

/* Restarts SELF's forwarder if it has died. PID: the box's PID 1. Costs one system call when no
 * port is forwarded. */
void forwarder_ensure_running(const struct box *self, pid_t pid);
