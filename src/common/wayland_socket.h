/* The compositor that our environment names (wl_display_connect(3)). */
#pragma once

#include <stddef.h>

/*
 * 0 with its socket's path in PATH, of SIZE. -1 when none is named, or what is named is not there
 * for us: an environment may outlive its compositor, as that of a tmux does.
 */
int wayland_socket_path(char *path, size_t size);
