#include "box/desktop_sound.h"

#include <limits.h>
#include <unistd.h>

#include "box/notes.h"
#include "box/say.h"
#include "bridge/outcome.h"
#include "bridge/sound_host.h"
#include "plan/plan.h"

/* Most machines without a sound server are not heard by anybody: who sits at a desktop is told. */
gboolean desktop_sound_wanted(const box *self, const record *known)
{
    char path[PATH_MAX];
    if (!known->sound[0] && !known->microphone[0])
        return FALSE;
    if (sound_host_socket(path, sizeof path) == 0)
        return TRUE;
    if (note_is_there(self, NOTE_NO_SOUND))
        return FALSE;
    note_make(self, NOTE_NO_SOUND);
    say_note("box '%s' has no sound: no PulseAudio and no PipeWire (package pipewire-pulse) "
             "answers on this machine",
             self->name);
    return FALSE;
}

void desktop_sound_report(const box *self, const char *outcome)
{
    if (g_strcmp0(outcome, BRIDGE_SHARED) == 0)
        note_remove(self, NOTE_NO_SOUND);
    else if (g_strcmp0(outcome, BRIDGE_FAILED) == 0)
        say_warning("the sound of box '%s' could not be made", self->name);
}

void desktop_sound_environment(const box *self, const record *known, GPtrArray *env)
{
    g_autofree char *path = g_build_filename(self->runtime, BRIDGE_FOLDER, BRIDGE_SOUND, NULL);
    if (known && (known->sound[0] || known->microphone[0]) && access(path, F_OK) == 0)
        g_ptr_array_add(env, g_strdup("PULSE_SERVER=unix:" PLAN_DESKTOP "/" BRIDGE_SOUND));
}
