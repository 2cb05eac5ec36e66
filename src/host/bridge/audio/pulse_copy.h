/* One command of a program, written anew as its rule says. libc only; reads what a box sends. */
#pragma once

#include "host/bridge/audio/pulse_filter.h"
#include "host/bridge/audio/pulse_rules.h"

/* "None", where the number of something is meant. */
#define PULSE_NONE 0xffffffffu

/* PULSE_REFUSED: it is whole, and asks for what no box gets. */
enum { PULSE_WRONG = -1, PULSE_COPIED, PULSE_REFUSED };

/* Copies the values in IN, which RULE is about, behind OUT. */
int pulse_copy(struct pulse_filter *self, const struct pulse_rule *rule, struct tags *in,
               struct byte_queue *out);
