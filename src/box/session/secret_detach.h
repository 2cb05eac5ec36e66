/*
 * Takes a secret from boxes. A record of that, data/boxes/.detaching, makes it safe against a kill
 * at any moment:
 *
 *   "NAME\nremove\nBOX\n…"   or "keep": the definition stays
 */
#pragma once

#include "box/registry/registry.h"

/* Makes helper and gate of SELF and its branches obey after a change of its secrets, where they
 * run. */
gboolean secrets_tell(const struct box *self, GError **error);

/* Takes the secret NAME from BOXES, also while they run, and with REMOVES removes it then. *CHANGED
 * (may be NULL): one of them had it. */
gboolean secret_detach(const char *name, char *const *boxes, gboolean removes, gboolean *changed,
                       GError **error);

/* Completes what a killed one has begun. Costs one access(2). What fails is a warning, and is tried
 * again by the next command. */
void secret_detach_repair(void);
