/*
 * Removes folders that a box has written. With sudo or an overlay they contain files that belong to
 * the user's subordinate ids, which the user cannot remove directly.
 */
#pragma once

#include "common/error.h"

/*
 * Calls fs_remove_tree(). If that fails, calls it again in a user namespace that maps the user's
 * subordinate ids (user_namespaces(7), newuidmap(1)).
 */
gboolean discard_tree(const char *path, GError **error);
