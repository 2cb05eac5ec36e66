/*
 * Writing the files of guest/guard/gitfile.h in a box. Git writes such a file in place and closes
 * it; nothing else tells that it is whole. So the box gets a file in memory to write to, and as
 * soon as that is whole and harmless, the guard writes it to the name: before it does the next held
 * call of anybody, or when the file is closed. What is not harmless by then is never written, and
 * its writer is told.
 */
#pragma once

#include "guest/guard/lookup.h"

/* Before the first worker. COMMON is what each request begins with. An inotify(7) descriptor that
 * tells of closed files, or -1 with errno. */
int guard_gitfile_begin(const struct guard_request *common);
/* open(2) of PLACE, whose role is GIT_FOLDER or GIT_WORKTREE_FILE, for writing: it is no folder. 0
 * and a descriptor in *FD, or an errno. */
int guard_gitfile_open(struct guard_request *request, const struct guard_place *place, int *fd);
/* Writes those that are whole, and gives up those that are closed and not whole. */
void guard_gitfile_settle(void);
/* The same of those that are closed: there was an event. */
void guard_gitfile_closed(void);
