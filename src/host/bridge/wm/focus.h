/* Which window has the keyboard, and is in front. */
#pragma once

#include "host/bridge/wm/windows.h"

/* Gives it to SELF, when that takes it, and raises that. */
void focus(struct window *self);
/* The same after a click into it. */
void focus_clicked(struct window *self);
/* A program may give it to a window of its own: that has it then. */
void focus_noticed(const xcb_focus_in_event_t *event);
/* Raises ID, and its dialogs above it. */
void focus_raise(xcb_window_t id);
/* After the end of GONE: its owner has the keyboard, or who had it last. Nothing when it had not.
 */
void focus_return(const struct window *gone);
/* To the next window, through all of them. */
void focus_cycle(void);
/* Asks the window that has it to end; one that cannot be asked is ended. */
void focus_close(void);
void focus_close_window(xcb_window_t id);
