/* Step 3 of plan.h: the parts of plan_prepare(), which writes the files that a plan mounts. */
#pragma once

#include "plan/request.h"

typedef struct {
    const plan_box *box;
    const settings *wanted;
    const plan_facts *facts;
    const json_t *request;
} plan_prepare_context;

/*
 * Writes TEXT (LENGTH -1: up to its NUL) to PATH through a temporary file and a rename, unless PATH
 * holds it already. No fsync: each start checks these files and can write them again.
 */
gboolean plan_write_file(const char *path, const char *text, gssize length, mode_t mode,
                         GError **error);

/* Contents of hosts and resolv.conf. */
char *plan_hosts_content(const plan_box *box, const settings *wanted);
char *plan_resolv_content(const settings *wanted);
/* prepare.c: shell code that puts the box's PATH back in front after /etc/profile has
 * replaced it, and the box's name into the prompt. */
char *plan_profile_content(const plan_box *box, const json_t *request);

/* prepare_host_image.c: the root folder of a box on the host image. */
gboolean plan_prepare_host_image(const plan_prepare_context *self, GError **error);
/* prepare_layers.c: the folders of those of a branch that LAYERS (struct plan) has. */
gboolean plan_prepare_layers(const plan_prepare_context *self, char *const *layers, GError **error);
/* prepare_mount_points.c: the mount points that lie in folders of the host. */
gboolean plan_prepare_mount_points(const plan_prepare_context *self, GError **error);
