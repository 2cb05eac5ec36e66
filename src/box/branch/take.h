/*
 * Puts what a branch has changed into its project: all that was shown, or nothing.
 *
 *   stage    copies what the branch has, and what of the host it replaces, into the branch's data
 *            folder (take_plan.h). What is shown and taken is that copy, which no box can change.
 *   record   boxes/.taking names the branch, from before the first change until the last one is
 *            done
 *   apply    each file by one rename, which fails when the host has changed it meanwhile
 *
 * What fails is undone from the copies, and so is what a killed command has begun, by the next one.
 * After a take the copies stay until the branch's next one, for branch_take_undo().
 */
#pragma once

#include "box/branch/branch_view.h"

typedef struct {
    char *const *paths;   /* relative to the project; empty: all */
    char *const *allowed; /* paths that may be taken in spite of BRANCH_NEEDS_YES; or NULL */
    gboolean overwrite;   /* also what the host has changed, too */
    gboolean strict;      /* refuse all when something would be left out */
    /* Shows how a file changes: open files, or -1. NULL: only names are shown. */
    gboolean (*show)(int before, int after, const char *path, GError **error);
    /* The user's yes. FALSE with ERROR. */
    gboolean (*confirm)(const char *question, GError **error);
} branch_take_options;

/* Nothing to take is success. */
gboolean branch_take(const struct box *self, const settings *wanted, const branch_take_options *how,
                     GError **error);
/* Undoes the last take of SELF, where the host has changed nothing of it since. */
gboolean branch_take_undo(const struct box *self, GError **error);
/* Undoes what a killed take has begun; costs one access(2). What fails is a warning, and is tried
 * again by the next command. */
void branch_take_repair(void);
