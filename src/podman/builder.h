/* Where one build runs: a Podman service of its own (keeper.h tells why). */
#pragma once

#include "podman/podman.h"

typedef struct {
    podman *podman; /* the client to build with */
    podman *own;    /* the same when it is a service of its own; NULL: it is borrowed */
    int lifeline;   /* the keeper's, or -1 */
} builder;

/* Starts the service. With CONTAINER_HOST there is no other place than SHARED's. SELF is set to
 * {.lifeline = -1} before. */
gboolean builder_open(builder *self, podman *shared, GError **error);
/* The build has come to its end: the service may go at once. */
void builder_done(builder *self);
/* Without builder_done before, stops the build, in the background. */
void builder_clear(builder *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(builder, builder_clear)
