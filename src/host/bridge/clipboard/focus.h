/*
 * Whether the window of a box's X server has the keyboard on an X11 desktop. The desktop's server
 * says which process made the window that has it: a title or a class anybody could have.
 *
 * On Wayland no program is told that of another's window.
 */
#pragma once

#include <sys/types.h>

/* FD is connected to the desktop's server, and taken. Waits, as xlink_welcome() does. -1: it cannot
 * be known. */
int focus_begin(int fd, const unsigned char *cookie);
/* SERVER, or a child of it, is the box's server, which is up by now. Reads /proc. */
void focus_of(pid_t server);
int focus_is_there(void);
