/* What the host and a branch have both changed, in one file: the merge of git-merge-file(1). */
#pragma once

#include "box/registry/branch_then.h"

/* Of each of the three files, bytes. */
#define BRANCH_MERGE_MAX BRANCH_THEN_FILE_MAX

/* Whether FD, of ST, is a text that can be merged, as git tells text from other files. */
gboolean branch_is_text(int fd, const struct stat *st);

/*
 * Merges into the empty file OUT (for reading and writing) what HOST and BRANCH (open files) have
 * made of what the host had at PATH when SELF began. *CONFLICTS of them are left in OUT, marked as
 * git marks them. FALSE with ERROR.
 */
gboolean branch_merge(const struct box *self, const branch_then *then, const char *path, int host,
                      int branch, int out, guint *conflicts, GError **error);

/* What the host had at PATH, a file without a name; -1 with ERROR. */
int branch_then_open(const struct box *self, const branch_then *then, const char *path,
                     GError **error);
