/* What box and litterbox-bridge have to know of each other. */
#pragma once

/* In the box's runtime folder: what is mounted into the box, */
#define BRIDGE_FOLDER "desktop"
/* and what is not, or a box could hold the lock (of fcntl(2), of an open file description). */
#define BRIDGE_LOCK "bridge.lock"
/* In the mounted folder. */
#define BRIDGE_WAYLAND "wayland-0"

/* How the bridge's start went: the line that it prints. */
#define BRIDGE_SHARED "shared"         /* the box has windows */
#define BRIDGE_UNKNOWN "unknown"       /* the compositor has no security contexts */
#define BRIDGE_NO_DISPLAY "no-display" /* no compositor answers */
#define BRIDGE_FAILED "failed"
#define BRIDGE_SERVED "served" /* another one serves the box already */
