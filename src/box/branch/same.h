/* Whether two files are alike. */
#pragma once

#include <glib.h>
#include <sys/stat.h>

/* The rights that what is taken gets: no set-ID bits, no right to write for others. */
mode_t branch_taken_rights(mode_t mode);

/*
 * 1 when NAME in the folders BRANCH and HOST (-1: there is none) is the same: kind, contents or
 * target, and the rights that a take would give it. 0: not. -1 with errno: the branch's cannot be
 * read. Files and links; the stats are of them, st_mode 0 where there is nothing.
 */
int branch_is_same(int branch, int host, const char *name, const struct stat *branch_st,
                   const struct stat *host_st);
