/*
 * What the steps of a build reach, where the box does not have an open network: with mode
 * "filtered" what the box reaches, through a gate of their own; with "none" nothing.
 */
#pragma once

#include "box/helpers/gate.h"
#include "box/session/notice_listener.h"
#include "podman/build_network.h"
#include "podman/podman.h"

typedef struct {
    const struct box *box; /* NULL: the network is open */
    build_network *network;
    gboolean wants_gate, has_gate, is_broken;
    notice_listener notices; /* of questions of the steps */
} build_access;

/* For a build for OF under the network of LIMITS; NULL: an open one. FALSE with ERROR: nothing must
 * be built. */
gboolean build_access_open(build_access *self, const struct box *of, const settings *limits,
                           GError **error);
/* Sets the network of REQUEST. */
void build_access_apply(const build_access *self, podman_build *request);
/* To be called while the build runs: keeps the gate running, and cancels the build when that fails
 * (podman_cancel()). A new string to show, "box: …" lines; NULL: nothing. */
char *build_access_tick(build_access *self);
void build_access_clear(build_access *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(build_access, build_access_clear)
