/* The host's sound server, from the environment, as its other clients find it. libc only. */
#pragma once

#include <stddef.h>

/* The path of its socket, which is there; -1: this machine has none, or it is on another one. */
int sound_host_socket(char *path, size_t size);
