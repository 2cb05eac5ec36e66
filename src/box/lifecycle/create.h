/* From settings to a container that can be started. */
#pragma once

#include "box/lifecycle/container.h"
#include "config/config.h"
#include "plan/plan.h"

/* The plan of SELF with SETTINGS_READ on this machine. Changes nothing, fetches no image. NULL with
 * ERROR. */
plan *box_make_plan(const struct box *self, podman_client *server, const config *loaded,
                    GError **error);

/*
 * Prepares SELF, whose container NOW is not running, for a start: folders, image, files to mount,
 * container. A container with another plan is created again; the home stays. Files that were
 * installed in it are not lost without a yes (container.h). *ID, a new string, is the
 * container's ID. FALSE with ERROR.
 */
gboolean box_prepare_container(struct box *self, podman_client *server, const config *loaded,
                               const box_container *now, char **id, GError **error);
