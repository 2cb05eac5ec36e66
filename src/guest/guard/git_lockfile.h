/*
 * "config.lock" in a git folder, which git writes, and then renames to "config" (lockfile.h of
 * git).
 *
 * No byte that a box wrote is ever found under that name. When git on the host renames its own
 * config.lock to config, it does not look what that is by then, and unlink(2) is not held: a box
 * could put a file of its own in the place of the host's. So the box gets a file in memory to write
 * to, and the name a copy of the present configuration, which keeps the host's git out meanwhile.
 * When the box renames it, what is in memory is looked at, and the guard writes the configuration
 * (guest/guard/git_rename.c).
 */
#pragma once

#include <sys/stat.h>

#include "guest/guard/lookup.h"

/* Before the first worker. 0, or -1 with errno. */
int guard_git_lockfile_begin(void);
/*
 * open(2) of PLACE, whose role is GIT_LOCKFILE, for writing. 0 and a descriptor in *FD, with
 * *IS_NEW set when PLACE was made; or an errno, EROFS for a file that no box has made.
 */
int guard_git_lockfile_open(struct guard_request *request, const struct guard_place *place, int *fd,
                            int *is_new);
/* What a box has written to the file ST under such a name: opened for reading from its beginning;
 * -1 with errno when no box made it. */
int guard_git_lockfile_written(const struct stat *st);
