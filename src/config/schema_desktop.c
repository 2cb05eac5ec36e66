/* Choices of [desktop]. */
#include "config/schema.h"

const schema_choice schema_sounds[] = {
    {"none", SOUND_NONE, 0, "no sound"},
    {"playback", SOUND_PLAYBACK, 1, "play sound on your loudspeakers"},
    {NULL},
};
G_STATIC_ASSERT(SOUND_PLAYBACK == 1 && G_N_ELEMENTS(schema_sounds) == 3);
