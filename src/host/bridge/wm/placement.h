/* Where a window is: it fills the screen, or lies completely on it. */
#pragma once

#include "host/bridge/wm/wm.h"

/* Whether the window is to be as large as the screen. */
int placement_fills_screen(const struct window *self);
/* Moves and resizes the window, and tells its program. */
void placement_apply(const struct window *self);
/* The same for a new window: one without a position is centred. */
void placement_apply_new(struct window *self);
/* After the size of the screen has changed. */
void placement_apply_all(void);
/* A program asks to configure one of its windows. */
void placement_configure(const xcb_configure_request_event_t *asked);
