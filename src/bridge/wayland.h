/* The box's Wayland socket. */
#pragma once

/*
 * Makes it as the option "wayland" says: "auto" (a security context), "plain" (the compositor's own
 * socket), or not at all. Returns how that went, a BRIDGE_… of outcome.h. When the compositor ends,
 * so does the loop.
 */
const char *wayland_begin(void);
/* Takes it away. */
void wayland_end(void);
