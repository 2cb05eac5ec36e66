/*
 * Puts what a branch has changed into its project: all that was shown, or nothing.
 *
 *   stage    copies what the branch has, and what of the host it replaces, into the branch's data
 *            folder (take_plan.h). What is shown and taken is that copy, which no box can change.
 *            Where the host has changed a text, too, the merge of both is taken (merge.h)
 *   record   boxes/.taking names the branch, from before the first change until the last is done
 *   apply    each file by one rename, which fails when the host has changed it meanwhile
 *
 * What fails is undone from the copies, and so is what a killed command has begun, by the next one.
 * After a take the copies stay until the branch's next one, for branch_take_undo().
 */
#pragma once

#include "box/branch/take_select.h"

/* Nothing to take is success. */
gboolean branch_take(const struct box *self, const settings *wanted, const branch_take_options *how,
                     GError **error);
/*
 * The same of CHANGES, each of which may be anything, to the project of SELF, a box, as HOW says,
 * which has words and overwrites. The contents are in the folder FROM, a descriptor, under the same
 * paths. branch_take_undo() cannot undo it.
 */
gboolean branch_take_changes(const struct box *self, int from, branch_changes *changes,
                             const branch_take_options *how, GError **error);
/* Undoes the last take of SELF, where the host has changed nothing of it since. */
gboolean branch_take_undo(const struct box *self, GError **error);
/* Undoes what a killed take has begun; costs one access(2). What fails is a warning, and is tried
 * again by the next command. */
void branch_take_repair(void);
