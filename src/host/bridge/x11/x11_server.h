/* Finds and starts an X server that shows its screen in a window of the desktop. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

struct x11_server;

/* The best server that is installed for this desktop, with its path in PATH; NULL for none. */
const struct x11_server *x11_server_find(int has_wayland, char *path, size_t size);
/* Starts the server at PATH in a jail (jail.h), below litterbox-wm. It serves LISTENER to clients
 * that have COOKIE. Returns the pid of litterbox-wm, or -1. */
pid_t x11_server_start(const struct x11_server *self, const char *path, int listener,
                       const unsigned char *cookie);
