#include "box/helpers/bridge_sound.h"

#include <limits.h>
#include <unistd.h>

#include "box/registry/state_flags.h"
#include "console/log.h"
#include "net/desktop_sockets.h"
#include "plan/plan.h"
#include "proto/bridge_status.h"

static gboolean has_sound(const struct runtime_config *known)
{
    return known->settings->desktop.sound != SOUND_NONE || known->settings->desktop.microphone;
}

/* Most machines without a sound server are not heard by anybody: who sits at a desktop is told. */
gboolean desktop_sound_wanted(const struct box *self, const struct runtime_config *known)
{
    char path[PATH_MAX];
    if (!has_sound(known))
        return FALSE;
    if (desktop_sound_socket(path, sizeof path) == 0)
        return TRUE;
    if (state_flag_is_set(self, STATE_FLAG_NO_SOUND))
        return FALSE;
    state_flag_set(self, STATE_FLAG_NO_SOUND);
    log_note("box '%s' has no sound: no PulseAudio and no PipeWire (package pipewire-pulse) "
             "answers on this machine",
             self->name);
    return FALSE;
}

void desktop_sound_report(const struct box *self, enum bridge_outcome outcome)
{
    if (outcome == BRIDGE_SHARED)
        state_flag_clear(self, STATE_FLAG_NO_SOUND);
    else if (outcome == BRIDGE_FAILED)
        log_warning("the sound of box '%s' could not be made", self->name);
}

void desktop_sound_environment(const struct box *self, const struct runtime_config *known,
                               GPtrArray *env)
{
    g_autofree char *path = g_build_filename(self->runtime, BRIDGE_FOLDER, BRIDGE_SOUND, NULL);
    if (known && has_sound(known) && access(path, F_OK) == 0)
        g_ptr_array_add(env, g_strdup("PULSE_SERVER=unix:" PLAN_DESKTOP "/" BRIDGE_SOUND));
}
