/*
 * Files in git folders that are written in place: those of guest/guard/gitfile.h, which git writes,
 * and configurations that are not renamed into place, as the first one of libgit2, and those of
 * gitoxide, go-git and isomorphic-git.
 *
 * Only close(2) tells that such a file is whole. So the box gets a file in memory to write to, and
 * the guard writes what is in it to the name when it is closed, if that is harmless. Else its
 * writer is told. Where no part of a file can be harmless, as in those of gitfile.h, the guard does
 * not wait: whoever calls next finds it written.
 */
#pragma once

#include "guest/guard/git_names.h"
#include "guest/guard/lookup.h"

/* Before the first worker. COMMON is what each request begins with. An inotify(7) descriptor that
 * tells of closed files, or -1 with errno. */
int guard_git_draft_begin(const struct guard_request *common);
/* open(2) of PLACE for writing, whose ROLE is GIT_FOLDER (and it is no folder), GIT_WORKTREE_FILE
 * or GIT_CONFIG. 0 and a descriptor in *FD, or an errno. */
int guard_git_draft_open(struct guard_request *request, const struct guard_place *place,
                         enum git_role role, int *fd);
/* Writes those that are whole. */
void guard_git_draft_settle(void);
/* The same, and gives up those that are closed: there was an event. */
void guard_git_draft_closed(void);
