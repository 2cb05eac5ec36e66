/*
 * The layer of a box's own container: what `sudo apt-get install` and the like wrote outside of the
 * home. No plan brings it back, so that it is never dropped without a word.
 */
#pragma once

#include "box/container.h"

/*
 * What would be lost with the container NOW, in words that go into a sentence ("42 files outside of
 * its home, such as '/usr/bin/foo'"). NULL when nothing would: what Podman and the plan put there
 * themselves does not count, nor do caches and logs. When Podman cannot tell, it may be anything.
 */
char *layer_contents(const box *self, podman *server, const box_container *now);

/*
 * TRUE when NOW, which was made from another plan than REQUEST, may run nevertheless: it may do
 * nothing that REQUEST does not allow, protects what REQUEST protects, and can still be started.
 */
gboolean layer_may_stay(const box_container *now, const json_t *request);

/* Whether CONTENTS may be lost: asks, and without a terminal, or without a yes, fails. */
gboolean layer_give_up(const box *self, const char *contents, GError **error);
