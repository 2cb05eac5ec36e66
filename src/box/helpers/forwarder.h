/* The forwarder of a running box (litterbox-port), as `box` starts and asks it. */
#pragma once

#include "box/registry/registry.h"

/*
 * Makes SELF's forwarder, started when there is something for it to do and it does not run, act
 * upon the list in the runtime folder as it is now. Returns what became of
 * each mapping, by its text: 0, or the errno of listening. NULL with ERROR when the forwarder does
 * not work.
 */
GHashTable *forwarder_sync(const struct box *self, GError **error);

/* Lets SELF's forwarder read the list, if it runs. */
void forwarder_notify(const struct box *self);

/* Starts SELF's forwarder again, should it have died; PID is that of the box's PID 1. Costs one
 * system call where no port is forwarded. */
void forwarder_ensure_running(const struct box *self, pid_t pid);
