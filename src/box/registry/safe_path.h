/* Programs of this machine that no box can have put there. */
#pragma once

#include <glib.h>

/*
 * Why FILE is not to be run on the machine: the folder or link on the way to it that a box of
 * PROJECTS (registry_projects) may write, or "" when it is not there. NULL: it may be run. A new
 * string.
 */
char *safe_path_refusal(const char *file, char **projects);

/*
 * The folders of PATH that no box writes, a new string: what a program starts by name is the user's
 * own, too. A relative folder is another one in every project, and left out. LEFT_OUT (may be NULL)
 * is told of each, with WHY as above, NULL for a relative one.
 */
char *safe_path(const char *path, char **projects,
                void (*left_out)(const char *entry, const char *why));
