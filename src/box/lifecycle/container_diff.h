/*
 * What differs between a box's container and its image: files that `sudo apt-get install` and other
 * programs wrote outside of the home. No plan can create them again, so they are never lost without
 * a message.
 */
#pragma once

#include "box/lifecycle/container.h"

/*
 * What would be lost with the container NOW, for use in a sentence ("42 files outside of its home,
 * such as '/usr/bin/foo'"); a new string. NULL when nothing would be: files of Podman and the plan,
 * caches and logs do not count. When Podman cannot tell, the text says that there may be files.
 */
char *container_diff_describe(const struct box *self, podman_client *server,
                              const box_container *now);

/* FALSE when nothing can be written there. */
gboolean container_diff_is_possible(const box_container *now);

/* Asks whether CONTENTS may be lost. FALSE with ERROR when the answer is no, or without a terminal.
 */
gboolean container_diff_confirm_loss(const struct box *self, const char *contents, GError **error);

/* One path that differs. */
typedef struct {
    char *path;          /* as Podman says it */
    int kind;            /* 0 changed, 1 new, 2 deleted */
    gboolean has_others; /* a folder that is listed because of what it contains, or with that */
} container_change;

/* What differs in CONTAINER, whose inspect document is INSPECT, from IMAGE (an ID; NULL: the base
 * of the container), without what does not count. An array of container_change; NULL with ERROR. */
GPtrArray *container_diff_list(const char *container, podman_client *server, const json_t *inspect,
                               const char *image, GError **error);

/* TRUE when PATH is one of MOUNTS (of an inspect document) or below it. */
gboolean container_diff_is_mounted(const char *path, const json_t *mounts);
