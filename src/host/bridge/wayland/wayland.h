/* The Wayland socket of the box, and one for its X server. */
#pragma once

#include "proto/bridge_protocol.h"

/*
 * Makes the box's socket as [desktop] wayland says: "auto" (a security context), "plain" (the
 * compositor's own socket), or not at all. When the compositor ends, the event loop does.
 */
enum bridge_outcome wayland_begin(void);
/*
 * Makes a socket for the box's X server, which the box does not see: a security context if the
 * compositor has them, else its own socket. -1 on failure.
 */
int wayland_begin_private(void);
/* After one of these: whether the compositor lets us share its clipboard. */
int wayland_has_clipboard(void);
/* A new connection to the private socket, or -1. */
int wayland_connect_private(void);
/* Removes the box's socket. */
void wayland_end(void);
