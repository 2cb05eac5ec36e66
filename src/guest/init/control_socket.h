/* The sockets of box-init, and who may knock. */
#pragma once

#include <stddef.h>

#include "guest/common/options.h"

/* Where sudo finds PID 1 inside the box; not there at all when sudo is denied. */
#define DOOR_FOLDER "/run/litterbox"
#define DOOR_SUDO_NAME "sudo"
/* The mounted folder of the control socket, below a folder that only root of the box may enter. */
#define DOOR_CONTROL_FOLDER "/run/litterbox/root/ctl"

/*
 * Makes the control socket, owned by the user and 0600, so that the host's user can connect: PID 1
 * has no power over a folder that belongs to the user, so it acts as the user for this. The
 * listening descriptor, or -1 with errno.
 */
int door_open_control(const struct init_options *options);
/* Makes a socket at PATH, likewise the user's, for the user's programs alone. */
int door_open_of_user(const struct init_options *options, const char *path);
/* Makes the sudo socket, 0666. */
int door_open_sudo(void);
/* Reads the topics of debug messages that `box` wants, "" for none, into LIST, which has SIZE
 * bytes. */
void control_read_debug(const struct init_options *options, char *list, size_t size);
/* Removes the control socket, so that no new client finds it. */
void door_close_control(const struct init_options *options);

/*
 * Accepts one connection. *PEER is the asker's pid in this pid namespace: 0 means that it lives
 * outside the box. -1 with errno; EACCES for one that may not ask (closed already).
 */
int door_accept_control(int door, const struct init_options *options);
int door_accept_sudo(int door, const struct init_options *options, int *peer);
