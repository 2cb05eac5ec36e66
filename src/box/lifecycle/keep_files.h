/*
 * 'box apply --keep-files': takes files outside the home from a box's old container to its new one.
 *
 * The old container has been stopped, so that its files are whole. Podman exports them, without any
 * mount; keep_filter.h picks those that have changed; Podman extracts these in the new container,
 * which has never run, so that there is no mount through which they could reach the host. Between
 * the two they are in an unnamed file in the box's data folder, which no kill leaves behind.
 */
#pragma once

#include "box/registry/registry.h"
#include "podman/podman.h"

/*
 * Keeps the files of SELF's container in the container NEXT. Says what is kept, and asks before it
 * leaves something behind, unless YES. On the same image that is only what no archive holds; on
 * another one, whose programs may not fit together with the old one's, files of packages and those
 * that both images have stay behind as well. Ctrl-C ends it. FALSE with ERROR: NEXT must go.
 */
gboolean keep_files(const struct box *self, podman_client *server, const char *next, gboolean yes,
                    GError **error);
