/*
 * Listens on ports of the host, each of which is forwarded to a port of the box, on the event loop
 * of the process (net/event_loop.h).
 */
#pragma once

#include <glib.h>

/* Connections of a box at a time; fewer when RLIMIT_NOFILE is low. */
#define CONNECTIONS_MAX 2048

/* Call this first. CONTROL: the folder of the box's control socket. */
void port_listeners_init(const char *control);

/*
 * Listens for WANTED (an array of port_mapping) and nothing else: other listeners are closed with
 * all their connections. Appends a line "IP:HOST:BOX ERRNO" for each mapping to ANSWER; ERRNO 0
 * means that it listens. Returns the number of mappings, listening or not.
 */
guint port_listeners_apply(const GPtrArray *wanted, GString *answer);

/* Calls ANSWERED once, when a server in the box sends the first byte through any connection. */
void connections_on_answer(void (*answered)(void));
