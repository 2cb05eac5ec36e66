/* The user's own X display, from $DISPLAY and $XAUTHORITY. */
#pragma once

#include <stddef.h>

#define HOST_DISPLAY_MAX 16

/* The display's NUMBER. -1 when there is none, or it has no socket in /tmp/.X11-unix. */
int host_display_number(char number[HOST_DISPLAY_MAX]);
/* The path of its socket. */
int host_display_socket(char *path, size_t size);
/* Its cookie, of XAUTHORITY_COOKIE bytes. -1 when .Xauthority has none. */
int host_display_cookie(unsigned char *cookie);
