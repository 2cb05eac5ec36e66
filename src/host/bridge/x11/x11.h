/*
 * The box's X display, :0. The X11 supervisor (x11_supervisor.h) listens on its socket; the first
 * client starts the process that serves it:
 *
 *   nested   the box's own X server (x11_server.h), in a window on the user's desktop
 *   host     a relay to the host's X server
 */
#pragma once

#include "proto/bridge_protocol.h"

/* Makes the socket and the box's cookie as [desktop] x11 says: "nested", "host", or not at all. */
enum bridge_outcome x11_begin(void);
/* Removes both. The supervisor and its children end with the bridge. */
void x11_end(void);
