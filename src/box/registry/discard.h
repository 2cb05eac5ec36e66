/*
 * Removing folders that a box wrote: with sudo or an overlay some of what is in them belongs to
 * subordinate ids of the user, which the user alone cannot remove.
 */
#pragma once

#include "common/error.h"

/*
 * fs_remove_tree(); where that is not allowed to, the same once more in a user namespace in which
 * the user's subordinate ids are ours (user_namespaces(7), newuidmap(1)).
 */
gboolean discard_tree(const char *path, GError **error);
