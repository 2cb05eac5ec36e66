/* What commits change, as git-diff-tree(1) prints it. A box has made the commits. */
#pragma once

#include <glib.h>

#include "box/registry/git_index.h"

typedef struct {
    char commit[GIT_OBJECT_ID_LENGTH + 1], object[GIT_OBJECT_ID_LENGTH + 1];
    const char *path;
    guint32 mode;      /* afterwards, as git has it; 0: it is gone */
    gboolean is_added; /* no parent has it */
} commit_change;

/* Of "diff-tree --stdin -r -c --root -z --raw --no-renames --no-abbrev": a merge's changes are
 * those that differ from each parent; with -m in place of -c, from any. Calls EACH. FALSE when DATA
 * is something else. */
gboolean commit_changes_parse(const char *data, gsize length,
                              void (*each)(const commit_change *change, void *data), void *to);

/* TRUE for the name of an object: hexadecimal digits in lower case. */
gboolean git_object_is_valid(const char *text, gsize length);
