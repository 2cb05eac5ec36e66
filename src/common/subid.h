/* The user's subordinate ids, as /etc/subuid and /etc/subgid give them (subuid(5)). */
#pragma once

#include <glib.h>
#include <sys/types.h>

typedef struct {
    guint64 start, count;
} subid_range;

/* The ranges (subid_range) that TEXT gives to USER or UID; wrong lines give nothing. NULL: none. */
GArray *subid_parse(const char *text, const char *user, guint uid);

/* The user's first range in FILE. FALSE when there is none. */
gboolean subid_first(const char *file, subid_range *first);

/* TRUE for the user's own uid and for those that are subordinate to it, in any range. The file is
 * read once. */
gboolean subid_is_ours(uid_t uid);
