/* What 'box branch' prints. */
#pragma once

#include "box/branch/branch_view.h"

/* The branches of the boxes NAMES. */
void branch_show_list(char *const *names, gboolean as_json);
void branch_show_changes(const branch_changes *changes, gboolean as_json, gboolean name_only);
/* How files differ. FALSE with ERROR. */
gboolean branch_show_patch(const struct box *self, const branch_changes *changes, GError **error);
/* The same of one change: its open files, or -1. */
gboolean branch_show_staged(int before, int after, const char *path, GError **error);
