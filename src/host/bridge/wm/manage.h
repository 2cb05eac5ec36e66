/* A window from its first map request to its end, and where it is: it fills the screen, or lies
 * completely on it. */
#pragma once

#include "host/bridge/wm/wm.h"

/* Maps ID, places it and gives it the keyboard. */
void manage_window(xcb_window_t id);
/* Manages the windows that are already mapped. */
void manage_existing(void);
/* ID was unmapped or destroyed. */
void manage_end(xcb_window_t id);
/* Releases all windows to another window manager. */
void manage_end_all(void);
/* A program asks to change one or two states. ACTION (EWMH): 0 remove, 1 add, 2 toggle. */
void manage_state(struct window *self, uint32_t action, xcb_atom_t one, xcb_atom_t other);
/* Writes _NET_FRAME_EXTENTS: our windows have no frame. */
void manage_frame_extents(xcb_window_t id);

/* Places all windows anew, after the size of the screen has changed. */
void placement_apply_all(void);
/* A program asks to configure one of its windows. */
void placement_configure(const xcb_configure_request_event_t *asked);
