/* Finds what no project needs any more, in this instance only. */
#pragma once

#include "box/lifecycle/removal.h"

/*
 * The plan of `box prune`: containers, folders, ephemeral boxes, menu entries and images that
 * nothing needs, and homes of missing projects, which are precious. With ASSUME_YES it counts on a
 * yes for these: an image that only such a box uses goes as well. Changes nothing. NULL with ERROR
 * when Podman does not answer.
 */
GPtrArray *prune_plan(podman_client *server, gboolean assume_yes, GError **error);
