/* The list of rules that decides about the network of a box. */
#pragma once

#include "box/registry/registry.h"
#include "config/settings.h"

/*
 * While SELF runs, what its gate holds, by its own word; else what the next start will use, with
 * the settings NEXT: lines as of box/helpers/gate_list.h, which says what MISSING is. *RUNNING: it
 * is the gate's. A new string; NULL with ERROR, and without one when the network is not filtered.
 */
char *network_list_text(const struct box *self, const settings *next, gboolean *running,
                        GPtrArray *missing, GError **error);
