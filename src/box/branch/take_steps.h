/* The steps of a take (take.h), a file each. */
#pragma once

#include "box/branch/branch_view.h"
#include "box/branch/changes.h"
#include "box/branch/take_plan.h"
#include "box/branch/take_select.h"
#include "box/branch/taken.h"

/* take_stage.c: the first step of a take: copies that no box can change. */

/*
 * Copies CHANGES, of which each may be taken, and what they replace, into a new plan. Those with
 * BRANCH_MERGES are merged, if MERGE. What has changed since CHANGES were found is an error. NULL
 * with ERROR.
 */
take_plan *take_stage(const struct box *self, const branch_folders *folders,
                      const branch_changes *changes, gboolean merge, GError **error);

/* take_hunks.c: which parts of a take the user wants: a question for each, on the terminal. */

/*
 * Asks for each hunk of each text in PLAN, of CHANGES, and once for whatever else there is. PLAN
 * has only what was chosen then. FALSE with ERROR: nothing was, or the user has ended it.
 */
gboolean take_hunks_choose(take_plan *plan, const branch_changes *changes, GError **error);

/* take_ask.c: the question of a take; what it shows are the copies of its plan. */

/* Shows what SELF's PLAN, of CHANGES, takes, and asks. LEFT changes stay in the branch. FALSE with
 * ERROR. */
gboolean take_confirm(const struct box *self, const take_plan *plan, guint left,
                      const branch_changes *changes, const branch_take_options *how,
                      GError **error);
/* Prints the line of one item. */
void take_print_item(const take_item *item, const branch_change *change);
/* Shows with SHOW how item number INDEX changes, if it is a file. FALSE with ERROR. */
gboolean take_show_files(const take_plan *plan, guint index, take_show show, GError **error);

/* take_files.c: files of the project, which a box may change meanwhile: each by its folder's
 * descriptor. */

/* The folder of PATH below TOP, opened without following links; *NAME points into PATH. -1 with
 * errno. */
int take_open_parent(int top, const char *path, const char **name);
/* lstat(2) in the same way. -1 with errno. */
int take_stat(int top, const char *path, struct stat *st);

/* Names of temporary files of item number INDEX. */
#define TAKE_PART ".part" /* is being written */
#define TAKE_NEW ".new"   /* complete, or what it was exchanged for */
#define TAKE_OLD ".old"   /* was moved out of the way */
char *take_temporary(const take_plan *plan, guint index, const char *suffix);
/*
 * The folder in which they lie; PARENT is that of the item. Beside the item they are like other
 * files there: a box of the project could read them, and write them also after they have its name,
 * which it must not of a protected name. So temporary files of those lie in the plan's folder.
 */
int take_aside(const take_plan *plan, guint index, int parent);

/*
 * Makes TAKE_NEW of item number INDEX in the folder ASIDE: what it is after the take, or with
 * OLD before it. -1 with errno.
 */
int take_make(const take_plan *plan, guint index, gboolean old, int aside);
/* TRUE when NAME in PARENT is what the item is after the take, or with OLD before it. Not for
 * folders. */
gboolean take_matches(const take_plan *plan, guint index, gboolean old, int parent,
                      const char *name);

/* take_apply.c, take_undo.c: the last step of a take, and the way back. */

/* Puts all items of PLAN into PROJECT, a descriptor, and records them in TAKEN. FALSE with ERROR:
 * take_undo() must follow. */
gboolean take_apply(int project, const take_plan *plan, branch_taken *taken, GError **error);

/*
 * Makes PROJECT what it was before take_apply(), which may have done any part of it. Files that
 * somebody has changed since stay as they are, and those whose folder is gone cannot come back:
 * their number is returned, and each is a warning. What comes back is recorded in TAKEN, as the
 * host has not moved on with it. FULL is set when the disk has no room for all of it: it can be
 * done again.
 */
guint take_undo(int project, const take_plan *plan, branch_taken *taken, GError **full);
