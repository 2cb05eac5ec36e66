/*
 * The places that a call of git leads to apart from its current folder: the repository, with the
 * hooks and the configuration that git obeys there, the work tree, and repositories that commands
 * such as clone name.
 *
 * Found as git finds them (gitrepository-layout(5), git(1)): options, variables, then the .git of
 * the current folder and of all above it, which may be a link or a file that names another folder;
 * and the "commondir" of a worktree. What a configuration names is not looked at.
 */
#pragma once

#include "box/git_shim/git_call.h"
#include "box/registry/project_finder.h"

/*
 * The box in whose project one of the places of CALL in the current folder FOLDER (a real path)
 * lies, or through whose project the way to it leads: the box could change where that ends. NULL
 * without ERROR when there is none. Any error means that there may be one.
 */
struct box *git_places_owner(const git_call *call, const char *folder,
                             const project_finder *projects, GError **error);
