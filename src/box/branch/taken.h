/* What a take gives the host's files, and which of them have it already. */
#pragma once

#include <glib.h>
#include <sys/stat.h>

#include "box/registry/box.h"

/* The rights that what is taken gets: no set-ID bits, no right to write for others. */
mode_t branch_taken_rights(mode_t mode);

/*
 * 1 when NAME in the folders BRANCH and HOST (-1: there is none) is the same: kind, contents or
 * target, and the rights that a take would give it. 0: not. -1 with errno: the branch's cannot be
 * read. Files and links; the stats are of them, st_mode 0 where there is nothing.
 */
int branch_is_same(int branch, int host, const char *name, const struct stat *branch_st,
                   const struct stat *host_st);

/*
 * Which files of the host are what a branch has put there: they are no work of the host's that a
 * later take would lose. In the branch's data folder, "taken".
 */
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
