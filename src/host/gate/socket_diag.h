/* Sockets of TCP in a network namespace, by the kernel's own table (sock_diag(7)). libc only. */
#pragma once

#include <netinet/in.h>
#include <stdint.h>

/* A socket to ask in this process's network namespace; -1 with errno. */
int socket_diag_open(void);

/*
 * The inode of the socket that is connected FROM one address and port TO another, with IPv4
 * addresses mapped, in the namespace in which DIAG was opened; 0: there is none, or the kernel does
 * not say. It costs two system calls, and waits for nothing.
 */
uint32_t socket_diag_inode(int diag, const struct sockaddr_in6 *from,
                           const struct sockaddr_in6 *to);
