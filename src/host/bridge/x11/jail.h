/*
 * The jail of a box's X server, which parses data from the box. It has no files of the host but
 * programs, libraries and fonts, no network, no abstract sockets, sees no other processes, and
 * cannot make namespaces.
 */
#pragma once

#include <sys/types.h>

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
