/* The commits of a branch's own repository, read as data: git never runs there. */
#pragma once

#include "box/branch/branch_view.h"
#include "box/branch/private_git.h"

/* The commit that is checked out in the branch, by its name; a new string. NULL with ERROR. */
char *commits_find_head(const branch_folders *folders, GError **error);

/* Copies all objects that the branch has made into GIT: regular files with names of objects, and
 * what git can read of packs. FALSE with ERROR. */
gboolean commits_copy(const branch_folders *folders, const private_git *git, GError **error);
