/*
 * The box's sound: a socket of the box's, as the host's PulseAudio or PipeWire has one. A process
 * of ours waits for connections to it and starts another for each, which has nothing but that
 * connection and one to the host's server, and decides what is passed on (pulse_filter.h).
 */
#pragma once

/*
 * Makes it as the options "sound" (playback) and "microphone" (true) say, or not at all, before the
 * bridge gives up its rights. Returns how that went, a BRIDGE_… of outcome.h.
 */
const char *sound_begin(void);
/* Takes it away; who serves it ends with us. */
void sound_end(void);
