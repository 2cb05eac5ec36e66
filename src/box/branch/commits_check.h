/* Which new commits would bring what 'box branch take' leaves in the branch. */
#pragma once

#include "box/branch/branch_view.h"
#include "box/branch/private_git.h"
#include "box/branch/take_select.h"

/* In the repository that is looked at: the commit, and those that the host has. */
#define COMMITS_TIP "refs/heads/take"
#define COMMITS_HOST "refs/host"

/* The new commits, one a line, the oldest first, and how many. NULL with ERROR. */
char *commits_list(const private_git *git, guint *count, GError **error);
/* Looks at what each commit of LIST changes. Returns how many changes may not be taken, and names
 * them; -1 with ERROR. */
int commits_check(const private_git *git, const struct box *self, const settings *wanted,
                  int project, const char *list, const branch_take_options *how, GError **error);
