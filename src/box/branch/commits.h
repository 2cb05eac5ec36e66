/*
 * Commits that were made in a branch, taken as commits. All of the branch's repository is what the
 * box wrote, so git never runs in it:
 *
 *   copy     its objects are copied as data into a repository of ours (commits_copy.h), whose
 *            configuration names nothing that is run
 *   fetch    a second one fetches the commit from there: git computes the name of each object anew,
 *            and checks it as git-fsck(1) does. What is looked at and taken is that one
 *   check    what each new commit changes obeys the rules of a take (commits_check.h)
 *   take     after a yes, the user's repository fetches the commit as refs/litterbox/NAME, without
 *            hooks and submodules
 *
 * Neither the user's branch nor files change: that is for a merge of the user's, with the tools and
 * settings that the user has.
 */
#pragma once

#include "box/branch/take_select.h"

#define COMMITS_TAKEN "refs/litterbox/"

/* Takes the commit that is checked out in SELF, and those that it needs. Nothing new is success. Of
 * HOW, ALLOWED and CONFIRM count. FALSE with ERROR. */
gboolean branch_take_commits(const struct box *self, const settings *wanted,
                             const branch_take_options *how, GError **error);
/* How many new commits there are. -1: that cannot be said. */
int branch_count_commits(const struct box *self);
