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
