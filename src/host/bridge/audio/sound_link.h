/* One program of a box, and its own connection to the host's sound server. libc only. */
#pragma once

#include "host/bridge/audio/pulse_filter.h"

/* Passes on what FILTER lets through between PROGRAM and SERVER (sockets), until one of them ends.
 * A program gets no more of the machine than some streams of sound need. */
void sound_link_run(struct pulse_filter *filter, int program, int server);
