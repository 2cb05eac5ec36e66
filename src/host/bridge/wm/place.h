/* Where a window is: it fills the screen, or is wholly on it. */
#pragma once

#include "host/bridge/wm/windows.h"

/* Whether it is to be as large as the screen. */
int place_fills(const struct window *self);
/* Puts it there, and tells it. */
void place(const struct window *self);
/* The first time: one that asked for no place comes into the middle. */
void place_new(struct window *self);
/* The screen has another size. */
void place_all(void);
/* What a program asks for one of its windows. */
void place_asked(const xcb_configure_request_event_t *wish);
