/* Choices of [desktop]. */
#include "config/schema.h"

const schema_choice schema_sounds[] = {
    {"none", SOUND_NONE, 0, "no sound"},
    {"playback", SOUND_PLAYBACK, 1, "play sound on your loudspeakers"},
    {NULL},
};
G_STATIC_ASSERT(SOUND_PLAYBACK == 1 && G_N_ELEMENTS(schema_sounds) == 3);

const schema_choice schema_gpus[] = {
    {"none", GPU_NONE, 0, "no GPU"},
    {"render", GPU_RENDER, 1,
     "draw and compute with your GPU, which is a large part of the kernel"},
    {"all", GPU_ALL, 2, "all of your GPU, with its screens, and /dev/kfd"},
    {NULL},
};
G_STATIC_ASSERT(GPU_ALL == 2 && G_N_ELEMENTS(schema_gpus) == 4);

const schema_choice schema_clipboards[] = {
    {"none", CLIPBOARD_NONE, 0, "no clipboard between its X server and your desktop"},
    {"to-box", CLIPBOARD_TO_BOX, 1,
     "read what you copy anywhere, at any time, through a nested X server"},
    {"from-box", CLIPBOARD_FROM_BOX, 1, "replace what you have copied, through a nested X server"},
    {"both", CLIPBOARD_BOTH, 2,
     "read what you copy anywhere, at any time, and replace it, through a nested X server"},
    {NULL},
};
G_STATIC_ASSERT(CLIPBOARD_BOTH == 3 && G_N_ELEMENTS(schema_clipboards) == 5);
