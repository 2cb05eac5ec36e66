/*
 * $XDG_RUNTIME_DIR of the box's user, and the box's own D-Bus session bus in it,
 * $XDG_RUNTIME_DIR/bus. The host's bus is never in a box.
 *
 * PID 1 only listens. The first connection makes it start SESSION_BUS_PROGRAM
 * (guest/shims/litterbox_bus.c), which gets the listening socket as its stdin and runs the bus
 * daemon of the box's image; a box that uses no bus runs none. The bus runs in a session like any
 * other, with a user's rights and the guard. But it does not keep an idle box running, and neither
 * do the programs that the bus has started, if they are on no terminal (left_running.h). When the
 * bus ends, connections that wait are closed, and the next one starts it again.
 *
 * The socket and its folder belong to the user. A program of the box that replaces the socket
 * affects this box only.
 */
#pragma once

#include <sys/types.h>

#include "guest/common/init_options.h"

#define SESSION_BUS_PROGRAM "/run/litterbox/bin/litterbox-bus"

/* Makes the user's folder, mode 0700, in /run/user, which is a tmpfs of root's (plan/). 0, or -1
 * with errno. */
int runtime_dir_make(const struct init_options *options);
/* Its path, in a static buffer. */
const char *runtime_dir_path(const struct init_options *options);

/* Listens, if there is a SESSION_BUS_PROGRAM. 0, or -1 with errno. */
int session_bus_listen(const struct init_options *options);
/* The value for DBUS_SESSION_BUS_ADDRESS; "" when PID 1 does not listen. */
const char *session_bus_address(void);

/* The socket on which a connection must start the bus; -1 while the bus runs. */
int session_bus_socket(void);
/* The bus has been started as PID, or could not be (-1). */
void session_bus_started(pid_t pid);
/* The child PID has ended, which may have been the bus. */
void session_bus_ended(pid_t pid);

/* Closes the socket, in a forked child that is not the bus. */
void session_bus_close(void);
