/* Properties: those of the box's windows, read with bounds, and ours, written. */
#pragma once

#include "host/bridge/wm/wm.h"

/* The first values of PROPERTY, when it is of TYPE and 32 bits wide; MAX at most. How many. */
unsigned property_read(xcb_window_t window, xcb_atom_t property, xcb_atom_t type, uint32_t *values,
                       unsigned max);
void property_write(xcb_window_t window, enum wm_atom property, xcb_atom_t type,
                    const uint32_t *values, unsigned count);
/* Tells WINDOW, as ICCCM has it, VALUE of WM_PROTOCOLS. */
void property_tell(xcb_window_t window, enum wm_atom value);
/* Whether WINDOW wants to be told VALUE. */
int property_has_protocol(xcb_window_t window, enum wm_atom value);
