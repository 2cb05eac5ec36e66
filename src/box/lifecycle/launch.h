/* From a created container to a box-init that listens. */
#pragma once

#include "box/lifecycle/container.h"

/* How long box-init may take until it listens. It takes milliseconds unless the machine is busy. */
#define BOX_LISTEN_TIMEOUT_MS 10000

/*
 * Starts SELF's container and waits for box-init. Returns a connection to it, or -1 with ERROR. A
 * container whose mounts are not the planned ones is stopped again.
 */
int box_launch(const struct box *self, podman_client *server, GError **error);

/*
 * Kills a process that the OCI runtime has prepared for the container ID, when Podman was killed
 * before it could start it. Nothing of the box has run in it. Only for a container that Podman
 * considers stopped.
 */
void runtime_orphans_kill(const char *id);
