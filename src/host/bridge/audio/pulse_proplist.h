/*
 * Copies names, property lists and formats from a box's packets. The host's mixer shows them, so
 * they begin with the box's name and have nothing by which a box could pass as another program.
 * libc only; the input is untrusted.
 */
#pragma once

#include "host/bridge/audio/pulse_tagstruct.h"

/* Longest program name, with its NUL. */
#define PULSE_PROGRAM_MAX 64

/* Copies a stream's name to OUT without unusual characters. -1: malformed, or no room. */
int pulse_proplist_copy_name(struct tagstruct *in, struct byte_queue *out);

/*
 * Copies a property list, of which only application.name and media.name are kept. PROGRAM remembers
 * the former for later lists without one. BOX is the box's name. -1: malformed, or no room.
 */
int pulse_proplist_copy(struct tagstruct *in, struct byte_queue *out, const char *box,
                        char program[PULSE_PROGRAM_MAX]);

/* Copies a list of formats, with the properties of PCM samples only. 1: the list has a format other
 * than PCM (compressed audio); -1: malformed, or no room. */
int pulse_proplist_copy_formats(struct tagstruct *in, struct byte_queue *out);
