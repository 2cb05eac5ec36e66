/* Paths that a model gives: only text. What a path leads to is looked at in the box alone. */
#pragma once

#include <glib.h>

#define PROJECT_PATH_OUTSIDE "paths must lie below the project: give one that is relative to it"

/* TEXT (relative to PROJECT, or an absolute path below it) relative to PROJECT; "." for itself. A
 * new string; NULL when it lies outside, or is too long. */
char *project_path(const char *project, const char *text);
