/*
 * The box's X display, :0. The X11 supervisor (x11_supervisor.c) listens on its socket; the first
 * client starts the process that serves it:
 *
 *   nested   the box's own X server (x11_server.c), in a window on the user's desktop
 *   host     a relay to the host's X server
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "host/bridge/core/x_display.h"
#include "proto/bridge_protocol.h"

/* Makes the socket and the box's cookie as [desktop] x11 says: "nested", "host", or not at all. */
enum bridge_outcome x11_begin(void);
/* Removes both. The supervisor and its children end with the bridge. */
void x11_end(void);

/*
 * x11_supervisor.c: the process that waits for clients of the box's X display. It is forked before
 * the bridge gives up its rights. For the first client it starts an X server, or a relay to the
 * host's, with the listening socket, and the process that shares the clipboard. When the server has
 * ended, the next client starts another. The supervisor itself reads no data from the box.
 */

struct x11_display {
    int is_host;     /* relayed to the host's X server */
    int has_wayland; /* the server is a client of the compositor, not of $DISPLAY */
    int listener;
    unsigned clipboard; /* EXCHANGE_TO_BOX, EXCHANGE_FROM_BOX; 0 for none */
    unsigned char cookie[XAUTHORITY_COOKIE];
};

/* Forks the supervisor, which ends with the caller. Returns a pidfd, or -1. */
int x11_supervisor_start(const struct x11_display *display);

/* x11_server.c: finds and starts an X server that shows its screen in a window of the desktop. */

struct x11_server;

/* The best server that is installed for this desktop, with its path in PATH; NULL for none. */
const struct x11_server *x11_server_find(int has_wayland, char *path, size_t size);
/* Starts the server at PATH in a jail (jail.c), below litterbox-wm. It serves LISTENER to clients
 * that have COOKIE. Returns the pid of litterbox-wm, or -1. */
pid_t x11_server_start(const struct x11_server *self, const char *path, int listener,
                       const unsigned char *cookie);

/*
 * jail.c: the jail of a box's X server, which parses data from the box. It has no files of the host
 * but programs, libraries and fonts, no network, no abstract sockets, sees no other processes, and
 * cannot make namespaces.
 */

/*
 * Forks into new user, mount, network, IPC, UTS and PID namespaces; the child dies with the
 * caller. Returns as fork() does.
 */
pid_t x11_jail_fork(void);

/*
 * In the child: a new root in memory, of limited size, with the needed folders of the host mounted
 * read-only and SOCKET of the host (NULL: none) under its own path; a seccomp filter and resource
 * limits. -1 when any of it fails: then nothing may be executed.
 */
int x11_jail_enter(const char *socket);
