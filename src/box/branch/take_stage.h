/* The first step of a take: copies that no box can change. */
#pragma once

#include "box/branch/branch_view.h"
#include "box/branch/take_plan.h"

/*
 * Copies CHANGES, of which each may be taken, and what they replace, into a new plan. Those with
 * BRANCH_MERGES are merged, if MERGE. What has changed since CHANGES were found is an error. NULL
 * with ERROR.
 */
take_plan *take_stage(const struct box *self, const branch_folders *folders,
                      const branch_changes *changes, gboolean merge, GError **error);
