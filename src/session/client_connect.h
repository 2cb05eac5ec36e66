/*
 * The host's side of CONNECT: gets a socket that is connected to a server in a box. libc only.
 *
 * No function blocks, even if the other side is hostile. The received socket is checked to be a TCP
 * socket that is connected to the port on a loopback address, so it reaches no other machine. The
 * sender still shares it, and may change its file flags at any moment: use MSG_DONTWAIT, not
 * O_NONBLOCK.
 */
#pragma once

#include <errno.h>

#include "proto/session.h"

/* Sends a CONNECT over the control socket in FOLDER. Returns a descriptor to wait on for POLLIN, or
 * -1 with errno; EAGAIN: box-init's queue of connections is full. */
int client_connect_begin(const char *folder, int port);

/* box-init closed the connection without an answer: it does not know CONNECT, or has ended. */
#define CLIENT_CONNECT_UNKNOWN ENOSYS

/*
 * Receives the answer over CONNECTION, which stays open. Returns the socket, or -1 with errno: that
 * of connect(2) inside the box; EPROTO for an invalid answer or descriptor; CLIENT_CONNECT_UNKNOWN.
 */
int client_connect_end(int connection, int port);

/* 1 when FD is a TCP socket that is connected to PORT on 127.0.0.1 or ::1. */
int client_connect_check(int fd, int port);

/* Asks box-init how a box is: the QUERY of the session protocol (proto/session.h). libc only. */

/* Sends a QUERY. Waits 2 seconds at most. 0, or -1 with errno. */
int client_query(int connection, struct session_info *info);
