/*
 * Renames and links of files from, to and in git folders. What is checked is what arrives: the file
 * goes by its descriptor, under a name of the guard's own, as a name could be swapped for a link.
 */
#pragma once

#include "guest/guard/protection.h"

struct guard_rename {
    const struct guard_place *from, *to;
    enum git_role from_role, to_role;
};

/*
 * renameat2(2) where a role is not GIT_NONE. 0, or an errno: EROFS for what a box may not put
 * there, and for all but plain files.
 */
int guard_git_rename(struct guard_request *request, const struct guard_rename *names);
/* linkat(2) of the same kind. OLD may be an object. */
int guard_git_link(const struct guard_place *old, enum git_role old_role,
                   const struct guard_place *made, enum git_role role);
