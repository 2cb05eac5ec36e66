/*
 * Who works in a branch. `box mcp` has a model work only in branches that a server of it has made,
 * and drops those in which nobody else has worked, also after its client has connected anew. Empty
 * files in the branch's data folder, which no box reaches, say so.
 */
#pragma once

#include "box/registry/box.h"

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
