/* Which changes of a branch are taken: those that were asked for and may be. */
#pragma once

#include "box/branch/branch_view.h"

/* How a take is spoken of that is none of a branch. */
typedef struct {
    const char *stays;   /* of what is left out: "stays as it is now" */
    const char *asks;    /* "Restore this in '/home/me/shop'" */
    const char *nothing; /* "there is nothing to restore" */
} take_words;

/* Shows how a file changes: open files, or -1. FALSE with ERROR. */
typedef gboolean (*take_show)(int before, int after, const char *path, GError **error);

typedef struct {
    char *const *paths;   /* relative to the project; empty: all */
    char *const *allowed; /* paths that may be taken in spite of BRANCH_NEEDS_YES; or NULL */
    gboolean overwrite;   /* also what the host has changed, too, and without a merge */
    gboolean strict;      /* refuse all when something would be left out, or have conflicts */
    gboolean hunks;       /* ask on the terminal for each part of each file, and not by CONFIRM */
    take_show show;       /* NULL: only names are shown */
    /* The user's yes. FALSE with ERROR. */
    gboolean (*confirm)(const char *question, GError **error);
    const take_words *words; /* NULL: of a branch */
} branch_take_options;

/* Removes from CHANGES what is not taken. Returns how many of those that were asked for, and names
 * them. */
guint take_select(branch_changes *changes, const branch_take_options *how);
