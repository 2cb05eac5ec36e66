/* The keys that are ours: Alt+Tab and Alt+F4, as far as the user's desktop lets them through. */
#pragma once

#include <xcb/xcb.h>

void keys_grab(void);
void keys_ungrab(void);
void keys_pressed(const xcb_key_press_event_t *event);
/* The keyboard may have other keys now: keys_settle() looks, once for all that has come. */
void keys_changed(const xcb_mapping_notify_event_t *event);
void keys_settle(void);
