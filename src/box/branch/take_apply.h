/* The last step of a take, and the way back. */
#pragma once

#include "box/branch/take_plan.h"
#include "box/branch/taken.h"

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
