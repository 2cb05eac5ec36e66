/* What the gate of a box with a filtered network refused, in words for a model: it cannot change
 * that, and is to name the command with which the user can. */
#pragma once

#include <glib.h>

/* TRUE when the box with the folder RUNTIME has a gate, or had one. */
gboolean refused_hosts_may_be(const char *runtime);
/*
 * What was refused there since SINCE (microseconds since 1970), a new string; NULL: nothing. BOX:
 * whose rules the user would change. What is alike is logged once in ten seconds
 * (host/gate/journal.h), so a second call does not always find it.
 */
char *refused_hosts_describe(const char *name, const char *runtime, gint64 since);
