/* The overlays of a box (plan.h: PLAN_DATA_OVERLAY, and plan_layer of a branch), mounted in it
 * before it starts. */
#pragma once

#include "box/registry/box.h"

/* Bytes of /proc/PID/mountinfo that are read. A plan has a few hundred mounts. */
#define MOUNTINFO_MAX (4 << 20)

/*
 * Mounts the overlays of SELF in the mount namespace of PID, which is prepared ("init"), whose
 * mounts are verified, and in which nothing of the box has run. The folders with their changes are
 * unmounted then, so that root of the box does not reach them. A box without overlays is success.
 * FALSE with ERROR.
 */
gboolean layers_mount(const struct box *self, pid_t pid, GError **error);
