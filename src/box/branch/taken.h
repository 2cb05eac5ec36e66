/*
 * Which files of the host are what a branch has put there: they are no work of the host's that a
 * later take would lose. In the branch's data folder, "taken".
 */
#pragma once

#include <sys/stat.h>

#include "box/registry/box.h"

typedef struct branch_taken branch_taken;

/* Empty when there is none, or it cannot be read. */
branch_taken *branch_taken_read(const struct box *self);
void branch_taken_free(branch_taken *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(branch_taken, branch_taken_free)

/* TRUE when the host's file of ST at PATH is the one that was put there. */
gboolean branch_taken_has(const branch_taken *self, const char *path, const struct stat *st);
/* Records that it is. */
void branch_taken_add(branch_taken *self, const char *path, const struct stat *st);
gboolean branch_taken_write(const branch_taken *self, const struct box *of, GError **error);
