/* A box's part of the host's sound, as `box` sees it; the bridge makes it
 * (host/bridge/audio/sound.h). */
#pragma once

#include "box/registry/runtime_config.h"
#include "proto/bridge_status.h"

/* Whether the bridge of SELF is to make its socket; says once when this machine has no sound. */
gboolean desktop_sound_wanted(const struct box *self, const struct runtime_config *known);
/* Says how that went. */
void desktop_sound_report(const struct box *self, enum bridge_outcome outcome);
/* Adds to ENV what programs in the box find it by. */
void desktop_sound_environment(const struct box *self, const struct runtime_config *known,
                               GPtrArray *env);
