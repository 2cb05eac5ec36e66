/* A box's part of the host's sound, as `box` sees it; the bridge makes it (bridge/sound.h). */
#pragma once

#include "box/record.h"

/* Whether the bridge of SELF is to make its socket; says once when this machine has no sound. */
gboolean desktop_sound_wanted(const box *self, const record *known);
/* Says how that went: OUTCOME is a BRIDGE_… of bridge/outcome.h. */
void desktop_sound_report(const box *self, const char *outcome);
/* Adds to ENV what programs in the box find it by. */
void desktop_sound_environment(const box *self, const record *known, GPtrArray *env);
