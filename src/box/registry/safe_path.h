/* Which programs and PATH entries of the host no box could have written. */
#pragma once

#include <glib.h>

/*
 * Why FILE must not be run on the host: the path of the file, or of a link on the way to it, that a
 * box of PROJECTS (registry_projects()) can write; "" when FILE is missing. A new string. NULL when
 * it may be run.
 */
char *safe_path_refusal(const char *file, char **projects);

/*
 * PATH without the folders that a box can write, so that a host program cannot start a program of a
 * box by name. Relative folders are left out as well, because they depend on the current folder. A
 * new string. LEFT_OUT (may be NULL) is called for each entry that is left out; WHY is as in
 * safe_path_refusal(), or NULL for a relative one. Missing folders are left out without a call.
 */
char *safe_path(const char *path, char **projects,
                void (*left_out)(const char *entry, const char *why));
