/* What box and litterbox-bridge have to know of each other. */
#pragma once

/* In the box's runtime folder: what is mounted into the box, */
#define BRIDGE_FOLDER "desktop"
/* and what is not, or a box could hold the lock (of fcntl(2), of an open file description). */
#define BRIDGE_LOCK "bridge.lock"
/* In the mounted folder. */
#define BRIDGE_WAYLAND "wayland-0"
#define BRIDGE_COOKIE "xauthority"
#define BRIDGE_SOUND "pulse"
/* In the box's runtime folder: the folder that is the box's /tmp/.X11-unix, */
#define BRIDGE_X11 "x11"
/* the socket in it, */
#define BRIDGE_X11_SOCKET "X0"
#define BRIDGE_X11_DISPLAY ":0"
/* and what is not mounted: the Wayland socket of the box's X server. */
#define BRIDGE_X11_WAYLAND "x11-wayland"

/*
 * How the bridge's start went: the line that it prints, of three of these words, for Wayland, X11,
 * and sound. What is not wanted is BRIDGE_NO_DISPLAY.
 */
#define BRIDGE_SHARED "shared"         /* the box has windows */
#define BRIDGE_APART "shared-apart"    /* and no clipboard in common: the compositor lets nobody */
#define BRIDGE_UNKNOWN "unknown"       /* the compositor has no security contexts */
#define BRIDGE_NO_DISPLAY "no-display" /* no compositor answers */
#define BRIDGE_FAILED "failed"
#define BRIDGE_NO_SERVER "no-server" /* no X server that fits the desktop; no sound server */
#define BRIDGE_SERVED "served"       /* another one serves the box already: said alone */
