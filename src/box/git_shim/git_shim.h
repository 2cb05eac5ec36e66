/*
 * The shim `git`: git of the box in projects, and the host's outside of all of them, so that hooks,
 * filters and monitors of a repository that a box can write do not run on the host.
 *
 * A call belongs to the box of the nearest registered project that its current folder (behind all
 * -C) lies in. From outside it is refused when a variable, an option, a link or a worktree leads
 * into a project (git_places.h). It never registers a project. A stopped box is started only when
 * stdout and stderr are terminals, as prompts and editors call git all the time.
 */
#pragma once

#include "box/registry/registry.h"
#include "box/session/running_session.h"

/* What the program that has the shim does, in the folder behind all -C, with git's words without
 * them. Both return as git_shim_run() does. */
struct git_shim_ways {
    /* A session with OPTIONS in SELF; BOX_ERROR_STATE when these leave it stopped. */
    int (*session)(struct box *self, const session_options *options, GError **error);
    /* This machine has no git that may be run by its PATH: says so, or runs another one. */
    int (*other)(char **argv);
};

/* Runs git with ARGV, the shim's own. Returns the exit status; -1 with ERROR, or without, when a
 * way has none. Where git runs on this machine, it does not return. */
int git_shim_run(char **argv, const struct git_shim_ways *ways, GError **error);
