/* Programs of a box in the host's menu: what the box has, and what of it is exported. */
#pragma once

#include "box/registry/registry.h"
#include "menu/files.h"

/*
 * Starts SELF when it does not run, and asks it for its entries, or that of ID alone (NULL: all).
 * *REFUSED (may be NULL) is how many could not be taken.
 */
GPtrArray *apps_read(box *self, const char *id, guint *refused, GError **error);

/* Writes ONE of SELF, and its icon, into the host's menu; or writes them anew. */
gboolean apps_export(box *self, const entry *one, GError **error);

/* Takes off the menu what is exported of SELF and not among ENTRIES. */
gboolean apps_drop_gone(const box *self, const GPtrArray *entries, GError **error);
/* The same for a box that was made anew and runs: asks it, when anything of it is exported. */
void apps_follow(box *self);

/* FALSE when FILE is not what apps_export() would write for ONE. */
gboolean apps_is_current(const box *self, const entry *one, const app_file *file);
