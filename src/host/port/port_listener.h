/* The ports of the host that the forwarder listens on, each of which leads to a port of the box. */
#pragma once

#include <glib.h>

/* Before anything else. CONTROL: the folder of the box's control socket. */
void port_listeners_init(const char *control);

/*
 * Listens for WANTED (of port_mapping) and nothing else: a listener that is not in it is closed
 * with all its connections. Appends a line for each mapping to ANSWER, "IP:HOST:BOX ERRNO", where
 * an ERRNO of 0 means that it listens. Returns the number of mappings, listening or not.
 */
guint port_listeners_apply(const GPtrArray *wanted, GString *answer);
