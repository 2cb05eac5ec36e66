/* Programs that are an X server in a window: which there are, and how one is run. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

struct x11_server;

/* The server for this desktop, with its path in PATH; NULL when none is installed that fits. */
const struct x11_server *x11_server_find(int has_wayland, char *path, size_t size);
/* Starts the server at PATH, confined (x11_jail.h), to serve LISTENER for who knows COOKIE. Its
 * pid, or -1. */
pid_t x11_server_start(const struct x11_server *self, const char *path, int listener,
                       const unsigned char *cookie);
