/* The user's subordinate ids, as /etc/subuid and /etc/subgid give them. */
#pragma once

#include <glib.h>
#include <sys/types.h>

/* The user's first range in FILE (/etc/subuid or /etc/subgid). FALSE when there is none. */
gboolean subid_range(const char *file, guint64 *start, guint64 *count);

/* TRUE for the user's own uid and for those that are subordinate to it, in any range. The file is
 * read once. */
gboolean subid_is_ours(uid_t uid);
