/* The screen that is managed: its window-manager properties and its size. */
#pragma once

/*
 * Becomes the window manager of the screen (ICCCM 2.8, EWMH) and manages the windows that are
 * there. Does nothing when the box has another window manager already. -1: the server has gone.
 */
int screen_claim(void);
/* Its size may have changed. */
void screen_resized(int width, int height);
/* Leaves it to another window manager, which the box has started with --replace. */
void screen_release(void);
