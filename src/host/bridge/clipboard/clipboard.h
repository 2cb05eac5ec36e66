/*
 * Shares the clipboard between the X server of a box and the user's desktop ([desktop] clipboard).
 * This is a process of its own that runs as long as that server. It is a client of both, and before
 * it reads data from the box it gives up everything but its connections.
 *
 *   exchange.h      the rules: what may pass, and when; checks and cleans it
 *   selection.h     an end that is an X server: the box's, or that of an X11 desktop
 *   data_control.h  an end that is a Wayland compositor
 */
#pragma once

#include <sys/types.h>

#include "config/setting_options.h"

struct clipboard {
    unsigned directions; /* EXCHANGE_TO_BOX, EXCHANGE_FROM_BOX */
    int has_wayland;     /* the desktop is a Wayland compositor, not $DISPLAY */
    pid_t server;        /* the parent of the box's X server (host/bridge/wm/wm.h) */
    const char *socket;
    const unsigned char *cookie;
};

/* The directions that the setting allows. */
unsigned clipboard_directions(enum clipboard_access access);

/* Forks the process, which ends with the caller; the caller ends it with the server. Its pid, or
 * -1. */
pid_t clipboard_start(const struct clipboard *wanted);
