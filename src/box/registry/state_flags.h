/*
 * State that one `box` process leaves for the next one, as an empty file in the box's runtime
 * folder.
 *
 * STOPPING, REMOVING and STARTING are set before a request to Podman: when `box` is killed, Podman
 * still carries the request out, and the next start waits for the result before it clears the flag.
 * The NO_… flags mean that the user has been told about something that is missing.
 */
#pragma once

#include "box/registry/registry.h"

enum state_flag {
    STATE_FLAG_STOPPING, /* clients must not connect any more, because they would be cut off */
    STATE_FLAG_REMOVING,
    STATE_FLAG_STARTING,
    STATE_FLAG_NO_WINDOWS,    /* the compositor has no security contexts */
    STATE_FLAG_NO_X11,        /* no X server */
    STATE_FLAG_NO_SOUND,      /* no sound server; kept when the box stops */
    STATE_FLAG_NO_GPU_ACCESS, /* the GPU of the plan may not be opened; kept when the box stops */
};

/* Errors are ignored: without the flag, for example on a full disk, an interrupted step is not
 * noticed and a message is shown again. */
void state_flag_set(const struct box *self, enum state_flag flag);
gboolean state_flag_is_set(const struct box *self, enum state_flag flag);
void state_flag_clear(const struct box *self, enum state_flag flag);
