/* Which parts of a take the user wants: a question for each, on the terminal. */
#pragma once

#include "box/branch/changes.h"
#include "box/branch/take_plan.h"

/*
 * Asks for each hunk of each text in PLAN, of CHANGES, and once for whatever else there is. PLAN
 * has only what was chosen then. FALSE with ERROR: nothing was, or the user has ended it.
 */
gboolean take_hunks_choose(take_plan *plan, const branch_changes *changes, GError **error);
