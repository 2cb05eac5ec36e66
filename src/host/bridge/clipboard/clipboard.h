/*
 * The clipboard between the X server of a box and the user's desktop ([desktop] clipboard): a
 * process of its own for as long as that server runs. It is a client of both, and confined before
 * it reads a byte of the box's: nothing is left to it but its connections.
 *
 *   exchange.h      who may have what: the rules
 *   content.h       which content, and what is wrong with it
 *   xside.h         an end that is an X server: the box's, and that of an X11 desktop
 *   data_control.h  an end that is a Wayland compositor
 *   focus.h         whether the box's window has the keyboard, where that can be known
 */
#pragma once

#include <sys/types.h>

#include "config/setting_options.h"

struct clipboard {
    unsigned may;    /* EXCHANGE_TO_BOX, EXCHANGE_FROM_BOX */
    int has_wayland; /* the desktop is the compositor, not $DISPLAY */
    pid_t server;    /* who has the box's X server as a child (host/bridge/wm/wm.h), */
    const char *socket;
    const unsigned char *cookie;
};

/* The set of EXCHANGE_… that the setting allows. */
unsigned clipboard_directions(enum clipboard_access access);

/* Forks it; it ends with us, and should be ended with that server. Its pid, -1. */
pid_t clipboard_start(const struct clipboard *wanted);
