/* Is a box paused? Asked of the kernel: Podman would take a hundred times as long. */
#pragma once

#include <glib.h>

/*
 * TRUE when who listens behind CONNECTION is in a frozen cgroup. The kernel takes connections and
 * requests for it all the same, and would keep the descriptors in them until it is thawed.
 */
gboolean frozen_is(int connection);
