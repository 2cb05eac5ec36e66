/* The overlays of a branch (plan.h, plan_layer), mounted in its box before that starts. */
#pragma once

#include "box/registry/box.h"

/* Bytes of /proc/PID/mountinfo that are read. A plan has a few hundred mounts. */
#define MOUNTINFO_MAX (4 << 20)

/*
 * Mounts the layers of SELF in the mount namespace of PID, which is prepared ("init"), whose mounts
 * are verified, and in which nothing of the box has run. The folder of the layers is unmounted
 * then, so that root of the box does not reach it. A box without layers is success. FALSE with
 * ERROR.
 */
gboolean layers_mount(const struct box *self, pid_t pid, GError **error);
