/* The listening sockets of box-init, and who may connect to them. */
#pragma once

#include <stddef.h>

#include "guest/common/init_options.h"

/* Where the sudo shim connects, inside the box. There is no such socket when sudo is denied. */
#define SUDO_SOCKET_FOLDER "/run/litterbox"
#define SUDO_SOCKET_NAME "sudo"
/* The folder of the control socket, mounted from the host. Only root of the box can reach it. */
#define CONTROL_SOCKET_FOLDER "/run/litterbox/root/ctl"

/*
 * All of these listen, and return a descriptor or -1 with errno.
 *
 * The control socket and the user's sockets belong to the box's user and have mode 0600; PID 1 may
 * not write into folders of the user, and makes them with the user's IDs (setfsuid(2)). The sudo
 * socket has mode 0666.
 */
int control_socket_listen(const struct init_options *options);
int control_socket_listen_sudo(void);
int control_socket_listen_user(const struct init_options *options, const char *path);

/* Removes the control socket, so that no new client finds it. */
void control_socket_remove(const struct init_options *options);

/* Reads the debug topics that `box` has left beside the control socket (SESSION_DEBUG_FILE) into
 * LIST, of SIZE bytes; "" for none. */
void control_socket_read_debug(const struct init_options *options, char *list, size_t size);

/*
 * Accept one connection: on the control socket from the host's user only, on the sudo socket from
 * processes of the box's user only, whose PID in the box is stored in *PEER. Return a descriptor,
 * or -1 with errno; EACCES for a peer that may not connect, whose connection is closed.
 */
int control_socket_accept(int listener, const struct init_options *options);
int control_socket_accept_sudo(int listener, const struct init_options *options, int *peer);
