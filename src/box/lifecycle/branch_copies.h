/*
 * Branches where no overlay can be mounted: their layers are copies of the host's folders (plan.h).
 *
 * A layer becomes a copy while it has no changes. At each start its copy gets what the host has
 * changed since the last one, but for names that the branch has changed or removed, as an overlay
 * shows it. The first copy is made aside, and gets its place when it is complete; later ones
 * replace file by file. A killed one is completed by the next start: what it has copied is the same
 * as the host's, and the rest is still what the list says (box/registry/branch_copied.h).
 *
 * Set-ID bits, attributes, FIFOs, sockets and devices are not copied. A second name of a file
 * becomes a file of its own.
 */
#pragma once

#include "box/registry/box.h"

/* From the next start on, the layers of SELF, a branch that does not run, are copies. FALSE: the
 * branch has changed something in one, or a file system is mounted there. */
gboolean branch_copies_begin(const struct box *self);
/* TRUE when a copy of SELF was not made so far. */
gboolean branch_copies_are_missing(const struct box *self);
/* Makes or updates the copies of SELF, a branch that does not run. HIDDEN: paths of the project
 * that it may not see; or NULL. FALSE with ERROR, also after Ctrl-C: no first copy is left then. */
gboolean branch_copies_update(const struct box *self, char *const *hidden, GError **error);
