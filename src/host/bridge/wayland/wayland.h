/*
 * The Wayland sockets of the box and of its X server.
 *
 * Each is a security context: a socket whose clients the compositor treats as sandboxed. It does
 * not offer them its privileged globals (screen capture, virtual input, clipboard managers …).
 * Protocol: security-context-v1 of wayland-protocols (staging). Its two interfaces are written out
 * in wayland.c, because old versions of wayland-protocols do not have its XML.
 */
#pragma once

#include "proto/bridge_protocol.h"

/* Globals of the two data-control protocols (host/bridge/clipboard/data_control.h). */
#define DATA_CONTROL_EXT "ext_data_control_manager_v1"
#define DATA_CONTROL_WLR "zwlr_data_control_manager_v1"

/*
 * Makes the box's socket as [desktop] wayland says: "auto" (a security context), "plain" (the
 * compositor's own socket), or not at all. When the compositor ends, the event loop does.
 */
enum bridge_outcome wayland_begin(void);
/* Removes the box's socket. */
void wayland_end(void);

/*
 * Makes a socket for the box's X server, which the box does not see: a security context if the
 * compositor has them, else its own socket. -1 on failure.
 */
int wayland_begin_private(void);
/* A new connection to the private socket, or -1. */
int wayland_connect_private(void);

/* After one of these: whether the compositor lets us share its clipboard (data-control). */
int wayland_has_clipboard(void);
