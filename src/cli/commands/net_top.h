/* What `box net top` prints. */
#pragma once

#include "box/registry/registry.h"

/* The open connections of SELF, whose PID 1 is INIT, with what they moved in the last second; on a
 * terminal again and again. FALSE with ERROR. */
gboolean net_top(const struct box *self, pid_t init, gboolean json, GError **error);
