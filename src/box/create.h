/* Getting a stopped or missing container into the state that its plan wants, short of starting. */
#pragma once

#include "box/lifecycle.h"
#include "plan/plan.h"

/*
 * The plan of SELF as configured in SETTINGS_READ, on this machine. Does not change anything.
 * IMAGE: see create_image().
 */
plan *create_plan(const box *self, podman *server, const config *settings_read, GError **error);

/*
 * Prepares SELF, whose container is NOW and not running: folders, image, files to mount,
 * container. A container that was made from another plan is made anew; its home stays. What was
 * installed into it is not lost without a yes (layer.h). *ID, a new string, is Podman's for it.
 */
gboolean create_prepare(box *self, podman *server, const config *settings_read,
                        const box_container *now, char **id, GError **error);
