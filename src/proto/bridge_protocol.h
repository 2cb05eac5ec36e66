/* What `box` and litterbox-bridge have in common: names of files, and how a start went. libc only.
 */
#pragma once

/* What the bridge's lock and log are called (host/supervisor/helper_lock.h). */
#define BRIDGE_HELPER "bridge"
/* In the box's runtime folder: what is mounted into the box, */
#define BRIDGE_FOLDER "desktop"
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

/* How the start of one part of the bridge went. */
enum bridge_outcome {
    BRIDGE_NO_DISPLAY,   /* not wanted, or no compositor answers */
    BRIDGE_SHARED,       /* the box has it */
    BRIDGE_NO_CLIPBOARD, /* it has, but the compositor lets no program share its clipboard */
    BRIDGE_NO_CONTEXTS,  /* the compositor has no security contexts */
    BRIDGE_NO_SERVER,    /* no X server that fits the desktop; no sound server */
    BRIDGE_FAILED,
    BRIDGE_OUTCOMES
};

struct bridge_status {
    enum bridge_outcome windows, x11, sound;
};

/* Longest text of a status, with its end. */
#define BRIDGE_STATUS_MAX 64

/* Writes STATUS as the line that the bridge tells `box`. */
void bridge_status_format(const struct bridge_status *status, char text[BRIDGE_STATUS_MAX]);

/* 0; -1 when TEXT is no such line. */
int bridge_status_parse(const char *text, struct bridge_status *status);

/* The value of the option KEY in OPTIONS (KEY=VALUE each, NULL-terminated); "" when it is not
 * there. */
const char *bridge_option_value(char **options, const char *key);

/* Beside the standard three and what the server is to have: a connection to that which says nothing
 * yet, */
#define WM_CONNECTION 5
/* and another, whose end makes the server count its clients. */
#define WM_PROBE 6
/* The cookie that the server wants: an entry as xauthority_write() makes it. */
#define WM_COOKIE_FILE "/tmp/cookie"
