/*
 * What `box uninstall` removes, in this order: what starts boxes (shims, menu entries), the SSH
 * agent, containers, homes, images, and the files of Litterbox. Each is found by what Podman and
 * the files say now, so a later call goes on where a killed one was.
 */
#pragma once

#include "box/lifecycle/removal.h"

typedef struct {
    gboolean homes, keys, config; /* remove these as well */
} uninstall_choice;

typedef struct {
    GPtrArray *items; /* of removal */
    GPtrArray *stays; /* safe text: what is not removed, and why */
} uninstall_plan;
void uninstall_plan_clear(uninstall_plan *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(uninstall_plan, uninstall_plan_clear)

/* Changes nothing. SERVER NULL: Podman does not answer, so what only it can remove stays, and with
 * it what a running box may need. FALSE with ERROR when Podman stops answering. */
gboolean uninstall_plan_make(uninstall_plan *self, podman_client *server,
                             const uninstall_choice *choice, GError **error);
