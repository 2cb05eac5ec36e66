/*
 * The box's PulseAudio socket. A process of its own accepts connections and forks a confined relay
 * for each, which has only that connection and one to the host's server, and filters what passes
 * (pulse_filter.h).
 */
#pragma once

#include "proto/bridge_protocol.h"

/* Makes the socket as [desktop] sound and microphone say, or not at all. Call it before the bridge
 * gives up its rights. */
enum bridge_outcome sound_begin(void);
/* Removes the socket. The processes end with the bridge. */
void sound_end(void);
