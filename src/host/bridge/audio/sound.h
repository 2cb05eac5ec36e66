/*
 * The box's sound: a socket of the box's, as the host's PulseAudio or PipeWire has one. A process
 * of ours waits for connections to it and starts another for each, which has nothing but that
 * connection and one to the host's server, and decides what is passed on (pulse_filter.h).
 */
#pragma once

#include "proto/bridge_status.h"

/*
 * Makes it as the settings sound and microphone say, or not at all, before the bridge gives up its
 * rights. Returns how that went, see proto/bridge_status.h.
 */
enum bridge_outcome sound_begin(void);
/* Takes it away; who serves it ends with us. */
void sound_end(void);
