/* From a created container to a box-init that listens. */
#pragma once

#include "box/registry/registry.h"
#include "podman/podman.h"

/* box-init listens within milliseconds of its start; a loaded machine gets more. */
#define LAUNCH_LISTEN_MS 10000

/*
 * Starts SELF's container and waits for box-init: a connection to it, or -1 with ERROR. What is not
 * as it was asked for (verify.h) is stopped again.
 */
int launch(const box *self, podman *server, GError **error);
