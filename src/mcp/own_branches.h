/*
 * The branches that servers have made for their clients (box/registry/branch.h), whichever
 * server it was: a client starts one anew for each of its own sessions. Only in these does a server
 * run commands, as long as no other one does, and only these does it drop, as long as the user has
 * not worked in them. Others are the user's work.
 */
#pragma once

#include "box/registry/branch.h"
#include "mcp/call.h"

/* Most of them of a box: each has a container. */
#define OWN_BRANCHES_MAX 16

GArray *own_branches_new(void);
/* Makes the branch NAME. NULL with ERROR, words for a model: also when it is there already. */
struct box *own_branch_make(struct tool_host *host, const char *name, GError **error);
/* The branch NAME, to work in. NULL with ERROR, words for a model, when it is not this server's. */
struct box *own_branch_find(const struct tool_host *host, const char *name, GError **error);
/* FALSE with ERROR, words for a model, when the user has worked in it. */
gboolean own_branch_may_drop(const struct box *self, GError **error);
