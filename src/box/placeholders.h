/*
 * What stands in a project while its box runs, so that a missing protected path has a mount point:
 * empty folders, or files with known contents. They are taken away when the box has stopped; only
 * what is still exactly as we made it is ever removed.
 */
#pragma once

#include "box/registry.h"
#include "plan/plan.h"

/*
 * Makes WANTED (of plan_placeholder) and remembers them in SELF's data folder first, so that a
 * crash at any moment leaves nothing that the next command does not find.
 */
gboolean placeholders_make(const box *self, const GPtrArray *wanted, GError **error);
/* Removes what is remembered. The box must not be running: its mounts would go too. */
void placeholders_remove(const box *self);
