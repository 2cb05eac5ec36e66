/* From a created container to a box-init that listens. */
#pragma once

#include "box/lifecycle/container.h"

/* How long box-init may take until it listens. It takes milliseconds unless the machine is busy. */
#define BOX_LISTEN_TIMEOUT_MS 10000

/*
 * Starts SELF's container and waits for box-init. Returns a connection to it, or -1 with ERROR. A
 * container whose mounts are not the planned ones (verify.c) is stopped again.
 */
int box_launch(const struct box *self, podman_client *server, GError **error);

/*
 * verify.c: NOW is prepared ("init") and not started. FALSE with ERROR unless box-init and the
 * folder of the control socket are mounted where box-init will be started, and the sources of the
 * other mounts are the planned ones.
 */
gboolean launch_verify_mounts(const struct box *self, const box_container *now, GError **error);
/* NOW has been started, and was inspected before. FALSE with ERROR unless its PID 1 is box-init. */
gboolean launch_verify_init(const struct box *self, const box_container *now, GError **error);

/*
 * Kills a process that the OCI runtime has prepared for the container ID, when Podman was killed
 * before it could start it. Nothing of the box has run in it. Only for a container that Podman
 * considers stopped.
 */
void runtime_orphans_kill(const char *id);
