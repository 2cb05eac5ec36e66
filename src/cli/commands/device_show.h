/* `box device list`: what a box has of this machine's devices, and what it could have. */
#pragma once

#include "box/registry/registry.h"

gboolean device_show(const struct box *self, gboolean json, GError **error);
