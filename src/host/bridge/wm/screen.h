/* The screen that is managed: what it says about us, and how large it is. */
#pragma once

/*
 * Takes it, as ICCCM and EWMH have it; what is there is managed from then on. -1: the server has
 * gone. Where a window manager of the box's is already, that is let.
 */
int screen_begin(void);
/* Its size may have changed. */
void screen_resized(int width, int height);
/* To another window manager, whom the box has started with --replace. */
void screen_leave(void);
