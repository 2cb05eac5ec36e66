/* What 'box branch' prints. */
#pragma once

#include "box/branch/branch_view.h"

/* The branches of the boxes NAMES. */
void branch_show_list(char *const *names, gboolean as_json);
void branch_show_changes(const branch_changes *changes, gboolean as_json, gboolean name_only);
/* How files differ; STAT: only how many lines. THEN: from what the host had when the branch began.
 * FALSE with ERROR. */
gboolean branch_show_files(const struct box *self, const branch_changes *changes, gboolean stat,
                           gboolean then, GError **error);
/* The same in the user's difftool NAME; NULL: as git-difftool(1) finds it. */
gboolean branch_show_tool(const struct box *self, const branch_changes *changes, const char *name,
                          gboolean then, GError **error);
/* How files differ of one change: its open files, or -1. */
gboolean branch_show_staged(int before, int after, const char *path, GError **error);
