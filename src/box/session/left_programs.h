/*
 * What the sessions of a box have left running, as box-init says it (proto/session.h), in words and
 * in JSON. Names and numbers come from the box: they are made harmless, and nothing is decided by
 * them.
 */
#pragma once

#include <glib.h>
#include <jansson.h>

#include "proto/session.h"

/* "tmux (2 processes), make (1 process) and 3 other processes", a new string; NULL: nothing. */
char *left_programs_text(const struct session_left *left);
/* [{"name": "tmux", "processes": 2}, …] of what keeps the box running. */
json_t *left_programs_json(const struct session_left *left);
/* Says at the end of a session of the box NAME what becomes of what is LEFT. */
void left_programs_note(const char *name, const struct session_left *left);
