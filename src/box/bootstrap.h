/* A base image without a registry, from the distribution's own signed packages. */
#pragma once

#include "podman/podman.h"

/*
 * Makes the base image of DISTRIBUTION ("debian", "debian:trixie") with mmdebstrap, from the mirror
 * that the host's own apt is configured with where that carries it, and tags it so that a
 * Containerfile's FROM finds it. FALSE with ERROR.
 */
gboolean bootstrap_image(podman *server, const char *distribution, GError **error);
