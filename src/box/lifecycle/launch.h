/* From a created container to a box-init that listens. */
#pragma once

#include "box/lifecycle/container.h"
#include "box/registry/box.h"

/* How long box-init may take until it listens. It takes milliseconds unless the machine is busy. */
#define BOX_LISTEN_TIMEOUT_MS 10000

/*
 * Starts SELF's container and waits for box-init. Returns a connection to it, or -1 with ERROR. A
 * container whose mounts are not the planned ones is stopped again.
 */
int box_launch(const struct box *self, podman_client *server, GError **error);

/* layers.c: the overlays of a box (plan.h: PLAN_DATA_OVERLAY, and plan_layer of a branch), mounted
 * in it before it starts. */

/* Bytes of /proc/PID/mountinfo that are read. A plan has a few hundred mounts. */
#define MOUNTINFO_MAX (4 << 20)

/*
 * Mounts the overlays of SELF in the mount namespace of PID, which is prepared ("init"), whose
 * mounts are verified, and in which nothing of the box has run. The folders with their changes are
 * unmounted then, so that root of the box does not reach them. A box without overlays is success.
 * FALSE with ERROR. A branch that could not have an overlay and has no changes gets copies
 * (branch_copies.h), and can be started again when these are made.
 */
gboolean layers_mount(const struct box *self, pid_t pid, GError **error);
/* TRUE when a file system of this machine is mounted below FOLDER: it would lie on a copy, too. */
gboolean layers_have_mounts_below(const char *folder);
