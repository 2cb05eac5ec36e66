/*
 * openat2(2) on the caller's behalf: the kernel walks the path as RESOLVE says, the guard looks at
 * what it found.
 *
 * Differences, each of which a caller is told by an errno of openat2's own: RESOLVE_CACHED is
 * always EAGAIN; files of /proc, paths through its links to files, and O_PATH of sockets are
 * ENOSYS. For O_PATH the descriptor is one for reading, as the other cannot be handed over: so what
 * O_PATH finds has to be readable.
 */
#pragma once

#include "guest/guard/request.h"

/* 0 and a descriptor in *FD; or an errno. */
int guard_openat2_open(struct guard_request *request, int *fd);
/* In a process that does this one call in another view, before that is entered. */
void guard_openat2_prepare(const struct guard_request *request);
