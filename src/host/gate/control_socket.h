/*
 * The socket at which `box` asks the gate (enum gate_request): a byte comes, an answer of any
 * length goes back, and the connection ends. The other end is a process of the user, which may stop
 * or die; it gets a few seconds. For the event loop of the process. libc only.
 */
#pragma once

#include <stdio.h>

/* Clients at a time; more wait in the kernel. */
#define CONTROL_CLIENTS_MAX 8
#define CONTROL_CLIENT_MS 5000

/*
 * Serves the listener FD. ANSWER writes the answer to REQUEST to OUT, a stream in memory. ANSWERED
 * is called when a connection has ended, answered or not. Returns 0, or -1 with errno.
 */
int control_socket_start(int fd, void (*answer)(int request, FILE *out), void (*answered)(void));
