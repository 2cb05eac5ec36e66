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

#include "box/registry/box.h"

/* The branch NAME of OF. BOX_ERROR_NOT_FOUND, with a similar name, when there is none. */
struct box *branch_find(const struct box *of, const char *name, GError **error);
/* The same for the user to work in, and makes one where there is none. ISOLATED: with a copy of the
 * home, too; for a branch that is there, TRUE is an error unless it has one. *IS_NEW: it was made.
 */
struct box *branch_open(const struct box *of, const char *name, gboolean isolated, gboolean *is_new,
                        GError **error);
/* Makes the branch NAME of OF for `box mcp`. BOX_ERROR_CONFLICT when it is there.
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

/*
 * Who works in a branch. `box mcp` has a model work only in branches that a server
 * of it has made, and drops those in which nobody else has worked, also after its client has
 * connected anew. Empty files in the branch's data folder, which no box reaches, say so.
 */

typedef enum {
    BRANCH_OF_USER,
    BRANCH_OF_MCP,  /* `box mcp` has made it */
    BRANCH_OF_BOTH, /* and the user has worked in it as well */
} branch_owner;

branch_owner branch_owner_of(const struct box *self);
/* "user", "mcp" or "both". */
const char *branch_owner_name(branch_owner self);
/* Notes that `box mcp` makes SELF, which has no record yet. FALSE with ERROR. */
gboolean branch_owner_set_mcp(const struct box *self, GError **error);
/* Notes that the user works in SELF. FALSE with ERROR. */
gboolean branch_owner_join(const struct box *self, GError **error);

/* For a server of `box mcp` as long as it works in SELF: a descriptor with a lock, which goes when
 * it is closed. -1 with errno: ENOENT when no server has made SELF, EWOULDBLOCK when another
 * process has it. */
int branch_owner_hold(const struct box *self);
/* TRUE when LOCK is that of SELF. */
gboolean branch_owner_holds(const struct box *self, int lock);
