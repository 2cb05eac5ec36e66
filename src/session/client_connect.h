/*
 * The host's side of CONNECT: a socket that is connected to a server in a box. libc only.
 *
 * Neither function blocks, whoever stands behind the control socket. The socket that comes back is
 * the box's: a TCP socket to the port on loopback of some network namespace, so that nothing of the
 * host's is reached by it, but shared with whoever sent it. Its file flags may change at any
 * moment: use MSG_DONTWAIT, not O_NONBLOCK.
 */
#pragma once

#include <errno.h>

#include "proto/session.h"

/* Asks over the control socket in FOLDER. A descriptor to wait on for POLLIN, or -1 with errno:
 * EAGAIN when the box has too much to do. */
int client_connect_begin(const char *folder, int port);

/* Why a box-init hung up in place of an answer: it is from before there was CONNECT, or has ended.
 */
#define CLIENT_CONNECT_UNKNOWN ENOSYS

/*
 * The answer that has come over CONNECTION, which stays open: the socket, or -1 with errno: that of
 * connect(2) inside the box, EPROTO for an answer that makes no sense or a descriptor that is no
 * such socket, CLIENT_CONNECT_UNKNOWN.
 */
int client_connect_end(int connection, int port);

/* 1 when FD is a TCP socket that is connected to PORT on 127.0.0.1 or ::1. */
int client_connect_check(int fd, int port);
