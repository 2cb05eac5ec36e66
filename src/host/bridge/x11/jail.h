/*
 * Where an X server of a box runs. It parses what the box sends, so it has none of the host's files
 * but programs, libraries and fonts, no network, no abstract sockets, no other process to see, and
 * can make no namespace of its own.
 */
#pragma once

#include <sys/types.h>

/*
 * Forks into new user, mount, network, IPC, UTS and PID namespaces; the child dies with us. Returns
 * as fork() does.
 */
pid_t x11_jail_fork(void);

/*
 * In the child: an empty root, in memory and with a limit, with what of the host is needed
 * read-only, SOCKET of the host (NULL: none) under its own path, a seccomp filter and limits. -1
 * when any of it fails: nothing may be run then.
 */
int x11_jail_enter(const char *socket);
