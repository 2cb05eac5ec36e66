/* Where the page of a login sends the browser back to. */
#pragma once

#include <glib.h>

/* Ports below are those of services, which no login listens on. */
#define LOGIN_PORT_LEAST 1024
/* How long it leads into the box at most. */
#define LOGIN_MINUTES 10

/*
 * The port of this machine's loopback that ADDRESS names as its one redirect_uri, in its query,
 * decoded once: http://localhost:PORT, 127.0.0.1 or [::1], and anything behind. 0: none.
 */
guint16 login_port_of(const char *address);
