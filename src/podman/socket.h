/* Unix stream sockets by path, of any length. Descriptors are close-on-exec. */
#pragma once

#include <glib.h>

/* Connects to PATH. Returns a non-blocking descriptor, or -1 with errno. Waits while the queue of
 * the listener is full, at most WAIT_MS. */
int socket_connect(const char *path, int wait_ms);

/* Listens on PATH, which is removed first; mode 0600. Returns the descriptor, or -1 with errno. */
int socket_listen(const char *path);

/* TRUE when the one who listens at the other end of FD runs as the caller. */
gboolean socket_peer_is_us(int fd);
