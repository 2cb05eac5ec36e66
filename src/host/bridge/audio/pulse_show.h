/*
 * What the host's mixer shows of a box's sound: the box's name in front, and nothing that could
 * pass for another program's. libc only; reads what a box sends.
 */
#pragma once

#include "host/bridge/audio/pulse_tags.h"

/* A name of a program, with its NUL. */
#define PULSE_PROGRAM_MAX 64

/* Copies a name that is shown, made harmless, behind OUT. -1: it is none, or there is no room. */
int pulse_show_name(struct tags *in, struct byte_queue *out);

/*
 * Copies properties: of the box's only what its program is called and what it plays. PROGRAM keeps
 * the former for the next ones, which may say nothing of it. BOX is its name. -1 likewise.
 */
int pulse_show_properties(struct tags *in, struct byte_queue *out, const char *box,
                          char program[PULSE_PROGRAM_MAX]);

/* Copies a list of sample formats: none but plain samples, and no further property. 1: others are
 * among them; -1: it is no such list. */
int pulse_show_formats(struct tags *in, struct byte_queue *out);
