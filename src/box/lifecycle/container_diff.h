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

/*
 * TRUE when the container NOW may run although its plan differs from REQUEST: it may do nothing
 * that REQUEST does not allow, protects what REQUEST protects, and can still be started.
 */
gboolean container_may_be_kept(const box_container *now, const json_t *request);

/* Asks whether CONTENTS may be lost. FALSE with ERROR when the answer is no, or without a terminal.
 */
gboolean container_diff_confirm_loss(const struct box *self, const char *contents, GError **error);
