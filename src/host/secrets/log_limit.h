/*
 * How many lines a box can put into the log: its user must find what it has done behind a flood of
 * refusals, too.
 */
#pragma once

#include <glib.h>

/* Writes LINE to stderr, and before it how many lines were left out; or leaves it out, as too many
 * came. Lines with an alarm have a limit of their own. */
void log_limited(gboolean is_alarm, const char *line);
