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

#include "common/error.h"

/* Runs git with ARGV, the shim's own. Returns the exit status, -1 with ERROR. */
int shim_git_run(char **argv, GError **error);
