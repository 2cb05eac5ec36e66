/* Where a path leads to, and over which symlinks. */
#pragma once

#include <glib.h>

/*
 * Real path of PATH (absolute), a new string, or NULL when it is missing; every symlink on the way
 * goes to VIA as an absolute path, new strings.
 */
char *links_resolve(const char *path, GPtrArray *via);
