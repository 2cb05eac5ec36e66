/*
 * The box's X display, :0. A process of ours (x11_keeper.h) listens on its socket; the first client
 * starts what serves it:
 *
 *   nested   an X server of the box's own (x11_server.h), a window on the user's desktop
 *   host     what passes on to the host's own X server (relay.h)
 */
#pragma once

#include "proto/bridge_status.h"

/*
 * Makes it as the option "x11" says: "nested", "host", or not at all; and the cookie that the box
 * is to have. Returns how that went, see proto/bridge_status.h.
 */
enum bridge_outcome x11_begin(void);
/* Takes it away; what serves it ends with us. */
void x11_end(void);
