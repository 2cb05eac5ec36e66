/*
 * Unix sockets (unix(7)): connect, listen, accept. libc only. Every descriptor is close-on-exec.
 * TYPE is SOCK_STREAM or SOCK_SEQPACKET, or SOCK_DGRAM to connect and bind, optionally with
 * SOCK_NONBLOCK.
 *
 * A socket's address holds 107 bytes, and a path may be longer: a long one is reached through
 * /proc/self/fd and the descriptor of its folder, so no path is too long.
 */
#pragma once

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/un.h>

#define UNIX_SOCKET_ADDRESS_SIZE sizeof(((struct sockaddr_un *)0)->sun_path)

/*
 * Connects to PATH, and follows symbolic links in it. Returns a descriptor, or -1 with errno:
 * ENOENT or ECONNREFUSED when nobody listens there, EAGAIN when SOCK_NONBLOCK is set and the
 * listener's queue is full.
 */
int unix_socket_connect(const char *path, int type);
/*
 * Connects to the socket NAME in FOLDER, neither of which may be a symbolic link: for a folder that
 * a box can write to. Errors as above; ECONNREFUSED also when NAME is no socket, EAGAIN also when
 * the queue is full for two seconds.
 */
int unix_socket_connect_in(const char *folder, const char *name, int type);

/*
 * Writes to ADDRESS, of UNIX_SOCKET_ADDRESS_SIZE bytes, a path to PATH that fits into a socket's
 * address. *FOLDER is the descriptor that it goes through (-1: none), which must stay open as long
 * as ADDRESS is used. 0, or -1 with errno when PATH's folder cannot be opened.
 */
int unix_socket_address(const char *path, char *address, int *folder);

/*
 * Sends what of LENGTH bytes at DATA is behind *SENT, as far as there is room, and counts it there.
 * 1 when all is sent, 0 when there is no room for more, or -1 with errno.
 */
int unix_socket_send_rest(int fd, const void *data, size_t length, size_t *sent);

/*
 * Listens as NAME in FOLDER, a descriptor or AT_FDCWD, in place of what has that name. MODE is
 * limited by umask(2), as that of open(2) is; there is no moment at which the file has more rights.
 * /proc/net/unix shows no path of FOLDER. Returns a descriptor, or -1 with errno.
 */
int unix_socket_listen_at(int folder, const char *name, int type, mode_t mode, int backlog);
/* The same for SOCK_DGRAM, which needs no listen(2). */
int unix_socket_bind_at(int folder, const char *name, int type, mode_t mode);
/*
 * Listens as PATH, whose folder must not be a symbolic link, in the same way. /proc/net/unix shows
 * PATH, for this listener and its connections, unless it is too long for an address.
 */
int unix_socket_listen(const char *path, int type, mode_t mode, int backlog);

/*
 * Accepts a connection, and reads who connected (SO_PEERCRED). FLAGS: 0 or SOCK_NONBLOCK. Returns a
 * descriptor, or -1 with errno: EACCES when the kernel does not tell who it is.
 */
int unix_socket_accept(int listener, int flags, struct ucred *peer);

/* Lets reading from and writing to CONNECTION fail with EAGAIN after SECONDS. */
void unix_socket_limit_waiting(int connection, int seconds);

/* The process at the other end of CONNECTION when it connected or began to listen (SO_PEERCRED), as
 * our PID namespace numbers it; 0 when the kernel does not tell, or the namespace has no number. */
pid_t unix_socket_peer_pid(int connection);
