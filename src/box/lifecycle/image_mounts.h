/* What a Podman that follows links in mounts of steps may build (run_mounts.h). */
#pragma once

#include "box/lifecycle/image_source.h"
#include "podman/podman.h"

/* TRUE: this one does not, or FROM is nothing that a project or box has chosen. */
gboolean image_mounts_are_safe(podman_client *server, const image_source *from);
/*
 * What to build in place of FROM's Containerfile, new; NULL with ERROR: its steps may mount
 * something. With it no image may be pulled any more, once image_mounts_check_images() has
 * returned.
 */
GBytes *image_mounts_check_file(podman_client *server, const image_source *from, GError **error);
/* FALSE with ERROR: an image that SERVER, which builds, has brings a step that mounts something. It
 * is not known which images a build will start from. */
gboolean image_mounts_check_images(podman_client *server, GError **error);
