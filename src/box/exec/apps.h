/* Programs of a box in the host's menu: listed, exported, run. */
#pragma once

#include "box/menu/menu_entries.h"
#include "box/registry/registry.h"

/*
 * Starts SELF if it is not running, and reads its desktop entries, or only that of ID (NULL: all).
 * *REFUSED (may be NULL) is the number of entries that are not valid. NULL with ERROR.
 */
GPtrArray *apps_list(struct box *self, const char *id, guint *refused, GError **error);

/* Writes ENTRY of SELF, and its icon, to the host's menu, replacing an older version. */
gboolean app_export(struct box *self, const desktop_entry *entry, GError **error);

/* FALSE when FILE is not what app_export() would write for ENTRY. */
gboolean app_is_exported_unchanged(const struct box *self, const desktop_entry *entry,
                                   const menu_entry *file);

/* Removes the menu entries of SELF that are not among ENTRIES. */
gboolean apps_unexport_missing(const struct box *self, const GPtrArray *entries, GError **error);
/* The same after SELF, which is running, has been created anew; reads its entries if necessary. */
void apps_refresh(struct box *self);

/*
 * Runs the program of the entry ID in SELF, which is started if it is not running. FILES are paths
 * or file: URIs in the project. Returns an exit status, or -1 with ERROR.
 */
int app_run(struct box *self, const char *id, char *const *files, GError **error);

/* Without a terminal on standard error, shows as a desktop notification why ID did not start. */
void app_notify_failure(const char *id, const char *reason);
