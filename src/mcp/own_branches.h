/*
 * The branches that this server has made for its client. Only in these does it run commands, and
 * only these does it drop: others are the user's work. One that the user has dropped and made anew
 * is no longer the server's.
 */
#pragma once

#include "box/registry/branch.h"
#include "mcp/call.h"

/* Most of them at a time: each has a container. */
#define OWN_BRANCHES_MAX 16

GPtrArray *own_branches_new(void);
/* Makes the branch NAME. NULL with ERROR, words for a model: also when it is there already. */
struct box *own_branch_make(struct tool_host *host, const char *name, GError **error);
/* The branch NAME. NULL with ERROR, words for a model, when this server has not made it. */
struct box *own_branch_find(const struct tool_host *host, const char *name, GError **error);
/* TRUE when there is such a branch. */
gboolean own_branch_is_there(const struct tool_host *host, const char *name);
