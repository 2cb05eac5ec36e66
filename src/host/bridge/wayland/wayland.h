/* The box's Wayland socket. */
#pragma once

#include "proto/bridge_status.h"

/*
 * Makes it as the option "wayland" says: "auto" (a security context), "plain" (the compositor's own
 * socket), or not at all. Returns how that went, see proto/bridge_status.h. When the compositor
 * ends, so does the loop.
 */
enum bridge_outcome wayland_begin(void);
/*
 * The same for a program of ours that serves the box: a security context that the box itself does
 * not see, where the compositor knows of such, else its own socket. -1 when there is neither.
 */
int wayland_begin_private(void);
/* Whether the compositor lets us share its clipboard; behind one of these. */
int wayland_has_clipboard(void);
/* A new connection to it, -1. */
int wayland_connect_private(void);
/* Takes the box's socket away. */
void wayland_end(void);
