/*
 * copy_tree_run(): copies a folder of the host, which boxes may write at this moment, into one that
 * nobody else writes, but a box may have written before. No link is followed in either.
 */
#pragma once

#include "box/registry/branch_copied.h"

typedef struct {
    int from, to;             /* the folders */
    int part;                 /* for temporary files, in the file system of TO */
    gboolean is_first;        /* TO is empty */
    const branch_copied *old; /* what TO has got so far */
    branch_copied *now;       /* what it has got then, also of names that the branch has removed */
    char *const *hidden;      /* paths that are not copied, and those below; or NULL */
    /* Set by it: what was copied, and what could not be. */
    guint files, left;
    gint64 bytes;
} copy_tree;

/* FALSE with ERROR: then OLD stays the list, also of what was replaced. */
gboolean copy_tree_run(copy_tree *self, GError **error);
