/* From a window's first wish to be seen to its end. */
#pragma once

#include "host/bridge/wm/windows.h"

/* Maps ID, places it and gives it the keyboard. */
void manage(xcb_window_t id);
/* The windows that were there before us. */
void manage_present(void);
/* ID is not seen any more, or is no more. */
void manage_end(xcb_window_t id);
/* All of them: they are another's now. */
void manage_end_all(void);
/* What a program asks of us: ACTION (0 remove, 1 add, 2 toggle) for one or two states. */
void manage_state(struct window *self, uint32_t action, xcb_atom_t one, xcb_atom_t other);
/* Our windows have no frame. */
void manage_frame(xcb_window_t id);
