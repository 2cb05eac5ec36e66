/* Which window has the keyboard and is on top; Alt+Tab and Alt+F4. */
#pragma once

#include "host/bridge/wm/wm.h"

/* Raises SELF and gives it the keyboard, if it takes it. */
void focus_window(struct window *self);
/* The same after a click on it. */
void focus_clicked(struct window *self);
/* A program has set the focus to a window of its own. */
void focus_noticed(const xcb_focus_in_event_t *event);
/* Raises ID, and its dialogs above it. */
void focus_raise(xcb_window_t id);
/* After the end of GONE: if it had the keyboard, its owner or the last one before gets it. */
void focus_return(const struct window *gone);
/* Closes window ID with WM_DELETE_WINDOW; disconnects a client that does not know that. */
void focus_close_window(xcb_window_t id);

/* Alt+Tab (next window) and Alt+F4 (close), if the user's desktop lets them through. */
void keys_grab(void);
void keys_ungrab(void);
void keys_pressed(const xcb_key_press_event_t *event);
/* The keyboard map may have changed: keys_update() reads it, once for all events that have come. */
void keys_changed(const xcb_mapping_notify_event_t *event);
void keys_update(void);
