/*
 * Since when a branch has been apart from the host, for each file that it has changed. A file that
 * the host changed before the branch's last start was seen by the branch as it is now, unless the
 * branch had its own by then. In the branch's data folder, "marks".
 */
#pragma once

#include <time.h>

#include "box/registry/box.h"

typedef struct branch_marks branch_marks;

/* NULL with ERROR. */
branch_marks *branch_marks_read(const struct box *self, GError **error);
void branch_marks_free(branch_marks *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(branch_marks, branch_marks_free)

/* For PATH, relative to the project. Belongs to SELF. */
const struct timespec *branch_marks_since(const branch_marks *self, const char *path);

/* SELF, which does not run, is about to: from now on it sees what the host has, but for what it has
 * changed. FALSE with ERROR. */
gboolean branch_marks_start(const struct box *self, GError **error);
