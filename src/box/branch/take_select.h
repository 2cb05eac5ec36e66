/* Which changes of a branch are taken: those that were asked for and may be. */
#pragma once

#include "box/branch/branch_view.h"

typedef struct {
    char *const *paths;   /* relative to the project; empty: all */
    char *const *allowed; /* paths that may be taken in spite of BRANCH_NEEDS_YES; or NULL */
    gboolean overwrite;   /* also what the host has changed, too, and without a merge */
    gboolean strict;      /* refuse all when something would be left out, or have conflicts */
    /* Shows how a file changes: open files, or -1. NULL: only names are shown. */
    gboolean (*show)(int before, int after, const char *path, GError **error);
    /* The user's yes. FALSE with ERROR. */
    gboolean (*confirm)(const char *question, GError **error);
} branch_take_options;

/* Removes from CHANGES what is not taken. Returns how many of those that were asked for, and names
 * them. */
guint take_select(branch_changes *changes, const branch_take_options *how);
