/*
 * The connections through forwarded ports: each is dialled in the box, then relayed. On the event
 * loop of the process (net/event_loop.h).
 */
#pragma once

#include <glib.h>

/* Most connections of one box at a time; fewer when this process may open fewer descriptors. */
#define CONNECTIONS_MAX 2048

/* Raises the limit of open descriptors. CONTROL: the folder of the box's control socket. ENDED is
 * called after each connection's end. */
void connections_init(const char *control, void (*ended)(void));
/* FALSE: there is no room for another connection. */
gboolean connections_have_room(void);
/*
 * Takes CLIENT over and connects it to PORT of the box. DIALLED is called with OWNER once PORT has
 * answered or cannot be reached. OWNER, not NULL, is also for connections_close_of().
 */
void connection_new(int client, int port, void (*dialled)(void *owner), void *owner);
/* Resets all connections of OWNER. */
void connections_close_of(const void *owner);
/* Calls ANSWERED, once, when a server in the box has sent the first byte through any of them. */
void connections_on_answer(void (*answered)(void));
