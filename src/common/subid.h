/* The user's subordinate user and group IDs, from /etc/subuid and /etc/subgid (subuid(5)). */
#pragma once

#include <glib.h>
#include <sys/types.h>

typedef struct {
    guint64 start, count;
} subid_range;

/* The ranges (of subid_range) that TEXT, a file's contents or NULL, assigns to USER or UID.
 * Malformed lines are skipped. A new array, maybe empty. */
GArray *subid_parse(const char *text, const char *user, guint uid);

/* Stores the user's first range in FILE in *FIRST. FALSE if there is none. */
gboolean subid_first(const char *file, subid_range *first);

/* TRUE if UID is the user's own or one of its subordinate user IDs. Reads /etc/subuid only once. */
gboolean subid_is_ours(uid_t uid);
