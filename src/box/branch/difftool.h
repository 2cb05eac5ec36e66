/*
 * The user's difftool on what a branch has changed: git-difftool(1) of the host, on private copies
 * of both sides. No box can write these or what leads to them. What a tool of the host may run or
 * obey is not copied, and neither the project's nor the branch's git configuration is read: the
 * tool is named by the user alone.
 */
#pragma once

#include "box/branch/changes.h"
#include "box/registry/box.h"

typedef struct difftool difftool;

/* Makes the folder of the copies, in SELF's data folder. One at a time for a branch. From now on
 * Ctrl-C only ends what is under way. NULL with ERROR. */
difftool *difftool_new(const struct box *self, GError **error);
/* Removes the copies. */
void difftool_free(difftool *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(difftool, difftool_free)

/* Copies the open files of CHANGE, or -1. What should not be copied is left out. FALSE with ERROR.
 */
gboolean difftool_add(difftool *self, const branch_change *change, int before, int after,
                      GError **error);
/* Runs the tool NAME, of those that git knows or that the user's own configuration has; NULL: what
 * that says in diff.tool. Returns at its end. FALSE with ERROR. */
gboolean difftool_run(difftool *self, const char *name, GError **error);
