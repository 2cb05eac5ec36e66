/* Asks the user whether root of a box may run a command ([security] sudo = "ask"). */
#pragma once

#include "box/registry/registry.h"

/* TEXT: what is run, LENGTH hostile bytes. TRUE: yes. */
gboolean sudo_asker_ask(const struct box *about, const char *text, gsize length);
