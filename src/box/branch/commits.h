/*
 * Commits that were made in a branch, taken as commits. All of the branch's repository is what the
 * box wrote, so git never runs in it:
 *
 *   copy     its objects are copied as data into a repository of ours (commits_copy.c), whose
 *            configuration names nothing that is run
 *   fetch    a second one fetches the commit from there: git computes the name of each object anew,
 *            and checks it as git-fsck(1) does. What is looked at and taken is that one
 *   check    what each new commit changes obeys the rules of a take (commits_check.c)
 *   take     after a yes, the user's repository fetches the commit as refs/litterbox/NAME, without
 *            hooks and submodules
 *
 * Neither the user's branch nor files change: that is for a merge of the user's, with the tools and
 * settings that the user has.
 */
#pragma once

#include "box/branch/branch_view.h"
#include "box/branch/private_git.h"
#include "box/branch/take_select.h"

#define COMMITS_TAKEN "refs/litterbox/"

/* Takes the commit that is checked out in SELF, and those that it needs. Nothing new is success. Of
 * HOW, ALLOWED and CONFIRM count. FALSE with ERROR. */
gboolean branch_take_commits(const struct box *self, const settings *wanted,
                             const branch_take_options *how, GError **error);
/* How many new commits there are. -1: that cannot be said. */
int branch_count_commits(const struct box *self);

/* commits_check.c: which new commits would bring what 'box branch take' leaves in the branch. */

/* In the repository that is looked at: the commit, and those that the host has. */
#define COMMITS_TIP "refs/heads/take"
#define COMMITS_HOST "refs/host"
/* One of those: what the host has checked out. It may be missing. */
#define COMMITS_HOST_HEAD COMMITS_HOST "/head"

/* The new commits, one a line, the oldest first, and how many. NULL with ERROR. */
char *commits_list(const private_git *git, guint *count, GError **error);
/* Looks at what each commit of LIST changes. Returns how many changes may not be taken, and names
 * them; -1 with ERROR. */
int commits_check(const private_git *git, const struct box *self, const settings *wanted,
                  int project, const char *list, const branch_take_options *how, GError **error);

/* commits_copy.c: the commits of a branch's own repository, read as data: git never runs there. */

/* The commit that is checked out in the branch, by its name; a new string. NULL with ERROR. */
char *commits_find_head(const branch_folders *folders, GError **error);

/* Copies all objects that the branch has made into GIT: regular files with names of objects, and
 * what git can read of packs. FALSE with ERROR. */
gboolean commits_copy(const branch_folders *folders, const private_git *git, GError **error);
