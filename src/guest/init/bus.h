/*
 * The box's own session bus, $XDG_RUNTIME_DIR/bus: none of the host's is in a box.
 *
 * PID 1 only listens. The first who connects makes it start BUS_PROGRAM, which gets the listening
 * socket as its stdin and runs the bus daemon of the box's own programs
 * (guest/shims/session_bus.c); a box that uses no bus pays for none. It is a session as all others
 * are (its guard, its rights), and so is what the bus starts. But nobody has asked for it: it does
 * not keep an idle box running, nor does what the bus has started, such as the one process of a
 * terminal that has many windows. When the bus ends, the next who connects gets another; who was
 * just connecting is turned away.
 *
 * The socket is the user's, as all of its folder is: who replaces it in there has replaced only
 * what is the box's own.
 */
#pragma once

#include <sys/types.h>

#include "guest/common/options.h"

#define BUS_PROGRAM "/run/litterbox/bin/litterbox-bus"

/* Listens, where there is a BUS_PROGRAM. 0, or -1 with errno. */
int bus_open(const struct init_options *options);
/* As the value of DBUS_SESSION_BUS_ADDRESS; "" when nobody listens. */
const char *bus_address(void);

/* What to wait at for a reason to start the bus; -1 while it runs. */
int bus_door(void);
/* The bus has been started as PID, or could not be (-1). */
void bus_began(pid_t pid);
/* PID has ended, which may have been the bus. */
void bus_ended(pid_t pid);

/* In a forked child that is not the bus. */
void bus_close(void);
