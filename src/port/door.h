/* The ports of the host that the forwarder listens on, each of which leads to a port of the box. */
#pragma once

#include <glib.h>

#include "proto/port_mapping.h"

/*
 * Makes what is listened on agree with WANTED (of port_mapping): what is not in it is closed with
 * all its connections, what is new is opened. Appends a line a mapping to ANSWER, "IP:HOST:BOX
 * ERRNO". Returns how many there are to be, open or not.
 */
guint doors_apply(const GPtrArray *wanted, GString *answer);

/* TRUE when there is a port that can take no more connections now, and is to try again later. */
gboolean doors_are_paused(void);
void doors_resume(void);
