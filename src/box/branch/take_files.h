/* Files of the project, which a box may change meanwhile: each by its folder's descriptor. */
#pragma once

#include "box/branch/take_plan.h"

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
