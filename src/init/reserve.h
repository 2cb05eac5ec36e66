/*
 * Names that nothing in the box may bring into being: protected paths that do not exist yet.
 *
 * A mount can keep what exists from being changed, but a mount needs something to stand on, and an
 * empty file that appears in the project on the host is itself a nuisance. So every call that can
 * make a name (open with O_CREAT, mkdir, rename, link, symlink, mknod …) is held by seccomp until
 * the guard, one process of box-init, has looked at the name: a reserved one is refused with EROFS,
 * as if a read-only mount were there; all else goes on.
 *
 * Limit: the guard looks before the kernel acts (seccomp_unotify(2), "TOCTOU"), so a program that
 * rewrites the path in its memory at the right moment can win. The name it makes is then found by
 * the report at the session's end on the host.
 */
#pragma once

#include "init/options.h"

#define RESERVE_MAX 256

/*
 * Forks the guard. Returns its pid, and in *DOOR the socket on which sessions hand over their
 * listeners. -1 with errno.
 */
int reserve_start_guard(const struct init_options *options, int *door);

/*
 * In a session's child, last before exec: installs the filter and hands its listener to the guard
 * behind DOOR. 0, or -1 with errno: then the command must not be run.
 */
int reserve_install(int door);

/* Notes which folders the reserved names are in; before anything of the box runs. */
void reserve_remember(const struct init_options *options);

/*
 * 1 when PATH, as process PID would name it relative to its descriptor DIRFD (or AT_FDCWD), is
 * reserved by OPTIONS; FOLLOW: a symlink at its end would be followed.
 */
int reserve_refuses(const struct init_options *options, int pid, int dirfd, const char *path,
                    int follow);
