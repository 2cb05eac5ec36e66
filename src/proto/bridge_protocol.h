/*
 * What `box`, litterbox-bridge and the programs that the bridge starts agree on: names of files,
 * the result of a start, options, descriptors. libc only.
 */
#pragma once

/* Name of the bridge's lock and log (host/supervisor/helper_lock.h). */
#define BRIDGE_HELPER "bridge"
/* In the box's runtime folder: the folder that is mounted into the box, */
#define BRIDGE_FOLDER "desktop"
/* and names in it. */
#define BRIDGE_WAYLAND "wayland-0"
#define BRIDGE_COOKIE "xauthority"
#define BRIDGE_SOUND "pulse"
/* In the box's runtime folder: the folder that is mounted as /tmp/.X11-unix, */
#define BRIDGE_X11 "x11"
/* the socket in it, */
#define BRIDGE_X11_SOCKET "X0"
#define BRIDGE_X11_DISPLAY ":0"
/* In the box's runtime folder, not mounted: the Wayland socket of the box's X server. */
#define BRIDGE_X11_WAYLAND "x11-wayland"

/* The result of starting one part of the bridge. */
enum bridge_outcome {
    BRIDGE_NO_DISPLAY,   /* not configured, or no compositor answers */
    BRIDGE_SHARED,       /* the box has it */
    BRIDGE_NO_CLIPBOARD, /* shared, but the compositor has no clipboard protocol */
    BRIDGE_NO_CONTEXTS,  /* the compositor has no security-context protocol */
    BRIDGE_NO_SERVER,    /* no suitable X server, or no sound server */
    BRIDGE_FAILED,
    BRIDGE_OUTCOMES
};

struct bridge_status {
    enum bridge_outcome windows, x11, sound;
};

/* Longest text of a status, with its NUL. */
#define BRIDGE_STATUS_MAX 64

/* Writes STATUS as the line that the bridge sends to `box`. */
void bridge_status_format(const struct bridge_status *status, char text[BRIDGE_STATUS_MAX]);

/* Reads that line. 0, or -1 when TEXT is invalid. */
int bridge_status_parse(const char *text, struct bridge_status *status);

/* The value of KEY in OPTIONS, arguments of the form KEY=VALUE, NULL-terminated; "" without one. */
const char *bridge_option_value(char **options, const char *key);

/* litterbox-wm inherits two descriptors. The first is a connection to the X server, on which
 * nothing has been sent yet. */
#define WM_CONNECTION 5
/* Another connection: when it ends, the X server counts its clients. */
#define WM_PROBE 6
/* The X server's cookie, an entry as xauthority_write() makes it. */
#define WM_COOKIE_FILE "/tmp/cookie"
