/*
 * Finds files that a box left in its project and that a tool of the host would execute or obey:
 * configuration and hooks of a repository that was cloned in the box, tasks, rc files. Protected
 * names cannot change in the project's root; this finds the same names in other folders.
 */
#pragma once

#include "config/settings.h"

/* Paths that are kept; a box can make any number. */
#define PROJECT_SCAN_MAX 1000

typedef struct {
    GPtrArray *paths; /* relative to the project, any bytes; at most PROJECT_SCAN_MAX */
    guint more;       /* others that were found */
    guint unread;     /* folders that could not be read, and may be later: their paths are too long,
                       * or a box may have taken the right to read them */
} project_scan_result;

/*
 * Looks at each file of PROJECT with a name that WANTED protects and that has changed since SINCE
 * (microseconds since 1970), upper folders first. Follows no symbolic link. The strings of RESULT,
 * which is empty before, are the caller's.
 */
void project_scan(const char *project, const settings *wanted, gint64 since,
                  project_scan_result *result);
/* TRUE when PATH contains a name that WANTED protects, or lies below one: a tool of the host may
 * execute or obey it. */
gboolean project_scan_is_watched(const settings *wanted, const char *path);
/* TRUE while PATH (relative) is a file of PROJECT. */
gboolean project_scan_exists(const char *project, const char *path);
/* TRUE when PATH (relative) is a file of PROJECT that may have changed since SINCE. */
gboolean project_scan_has_changed(const char *project, const char *path, gint64 since);
