/* The question of a take: what it shows are the copies of its plan. */
#pragma once

#include "box/branch/take_plan.h"
#include "box/branch/take_select.h"

/* Shows what SELF's PLAN, of CHANGES, takes, and asks. LEFT changes stay in the branch. FALSE with
 * ERROR. */
gboolean take_confirm(const struct box *self, const take_plan *plan, guint left,
                      const branch_changes *changes, const branch_take_options *how,
                      GError **error);
/* Prints the line of one item. */
void take_print_item(const take_item *item, const branch_change *change);
/* Shows with SHOW how item number INDEX changes, if it is a file. FALSE with ERROR. */
gboolean take_show_files(const take_plan *plan, guint index, take_show show, GError **error);
