/* What litterbox-wm is started with, by the bridge, in the jail. */
#pragma once

/* Beside the standard three and what the server is to have: a connection to that which says nothing
 * yet, */
#define WM_CONNECTION 5
/* and another, whose end makes the server count its clients. */
#define WM_PROBE 6
/* The cookie that the server wants: an entry as xauthority_write() makes it. */
#define WM_COOKIE_FILE "/tmp/cookie"
