/*
 * The process that waits for clients of the box's X display. It is forked before the bridge gives
 * up its rights. For the first client it starts an X server, or a relay to the host's, with the
 * listening socket, and the process that shares the clipboard. When the server has ended, the next
 * client starts another. The supervisor itself reads no data from the box.
 */
#pragma once

#include "host/bridge/core/x_display.h"

struct x11_display {
    int is_host;     /* relayed to the host's X server */
    int has_wayland; /* the server is a client of the compositor, not of $DISPLAY */
    int listener;
    unsigned clipboard; /* EXCHANGE_TO_BOX, EXCHANGE_FROM_BOX; 0 for none */
    unsigned char cookie[XAUTHORITY_COOKIE];
};

/* Forks the supervisor, which ends with the caller. Returns a pidfd, or -1. */
int x11_supervisor_start(const struct x11_display *display);
