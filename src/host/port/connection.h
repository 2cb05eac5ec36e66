/*
 * Connections through forwarded ports. Each is first dialled in the box, then relayed, on the event
 * loop of the process (net/event_loop.h).
 */
#pragma once

#include <glib.h>

/* Connections of a box at a time; fewer when RLIMIT_NOFILE is low. */
#define CONNECTIONS_MAX 2048

/* Raises RLIMIT_NOFILE. CONTROL: the folder of the box's control socket. ENDED is called after the
 * end of each connection. */
void connections_init(const char *control, void (*ended)(void));
/* FALSE: there is no room for another connection. */
gboolean connections_have_room(void);
/*
 * Takes over CLIENT and connects it to PORT of the box. DIALLED is called with OWNER when PORT has
 * accepted the connection or cannot be reached. OWNER is not NULL; see connections_close_of().
 */
void connection_new(int client, int port, void (*dialled)(void *owner), void *owner);
/* Resets all connections of OWNER. */
void connections_close_of(const void *owner);
/* Calls ANSWERED once, when a server in the box sends the first byte through any connection. */
void connections_on_answer(void (*answered)(void));
