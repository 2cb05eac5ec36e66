/* What 'box snapshot' prints. */
#pragma once

#include "box/snapshot/snapshot.h"

/* The snapshots of the boxes NAMES. */
void snapshot_show_list(char *const *names, gboolean as_json);
/* One of them, with NAMES also what is in it. FALSE with ERROR. */
gboolean snapshot_show_one(const struct box *self, guint number, gboolean names, gboolean as_json,
                           GError **error);
/* What has changed since snapshot NUMBER, in the parts of HOW. FALSE with ERROR. */
gboolean snapshot_show_diff(const struct box *self, guint number, const snapshot_options *how,
                            gboolean as_json, GError **error);
