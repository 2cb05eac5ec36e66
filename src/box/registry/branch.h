/*
 * Branches: copy-on-write copies of a project, each in a box of its own.
 *
 *   data/boxes/BOX/branches/NAME/          the data folder of the branch's box, "BOX.NAME"
 *   data/boxes/BOX/branches/NAME/began     "SECONDS.NANOSECONDS WORD": since when it is there; WORD
 *                                          is "shared" or "isolated", for the home
 *   data/boxes/BOX/branches/NAME/layers/   what it has changed (PLAN_DATA_LAYERS)
 *
 * The branch's box is not registered; the file "began" makes the folder a branch.
 */
#pragma once

#include <time.h>

#include "box/registry/branch_owner.h"

/* The branch NAME of OF. BOX_ERROR_NOT_FOUND, with a similar name, when there is none. */
struct box *branch_find(const struct box *of, const char *name, GError **error);
/* The same for the user to work in, and makes one where there is none. ISOLATED: with a copy of the
 * home, too; for a branch that is there, TRUE is an error unless it has one. *IS_NEW: it was made.
 */
struct box *branch_open(const struct box *of, const char *name, gboolean isolated, gboolean *is_new,
                        GError **error);
/* Makes the branch NAME of OF for `box mcp` (branch_owner.h). BOX_ERROR_CONFLICT when it is there.
 */
struct box *branch_make_for_mcp(const struct box *of, const char *name, GError **error);
/* The box NAME of PROJECT, which may be a branch's ("BOX.NAME"). NAME is valid. */
struct box *branch_or_box(const char *name, const char *project, GError **error);
/* FALSE: SELF, a branch, was dropped or renamed meanwhile. */
gboolean branch_exists(const struct box *self);
/* When the branch SELF began: what the host has changed since may be in conflict with it. FALSE
 * with ERROR. */
gboolean branch_began(const struct box *self, struct timespec *when, GError **error);
/* Calls ACT for the box that SELF is, or is a branch of, and for each of its branches, also when it
 * fails for another one. FALSE with the first ERROR. */
gboolean branch_each(const struct box *self,
                     gboolean (*act)(const struct box *each, GError **error), GError **error);
/* Ends SELF, whose container is gone, as a branch, and removes all of it. */
gboolean branch_remove(const struct box *self, GError **error);
/* What a killed branch_remove() has left of NAME of the box OF; *REMOVED is FALSE when there is a
 * branch of that name by now. */
gboolean branch_remove_left(const char *of, const char *name, gboolean *removed, GError **error);
/* FALSE with ERROR: NAME cannot be a branch's, or is another one's. */
gboolean branch_check_rename(const struct box *self, const char *name, GError **error);
/* Gives SELF, whose container is gone, the name NAME, and the user a part in it. FALSE with ERROR.
 */
gboolean branch_rename(const struct box *self, const char *name, GError **error);
