/*
 * A process of its own, forked before the bridge gives up its rights (as the launcher is): it waits
 * for the first client of the box's X display and starts what serves that, with the listening
 * socket, and what shares its clipboard; when that has ended, the next client starts another. It
 * reads no byte of the box's.
 */
#pragma once

#include "host/bridge/core/xauthority.h"

struct x11_display {
    int is_host;     /* served by relay.h, else by x11_server.h */
    int has_wayland; /* the server is to be a client of the compositor, not of $DISPLAY */
    int listener;
    unsigned clipboard; /* between such a server and the desktop: directions of clipboard.h */
    unsigned char cookie[XAUTHORITY_COOKIE];
};

/* Forks it; it ends with us. A pidfd of it, -1. */
int x11_keeper_start(const struct x11_display *display);
