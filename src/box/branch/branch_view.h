/* A branch as the host sees it: its changes, and what the user is told of them. */
#pragma once

#include "box/branch/changes.h"
#include "box/registry/branch.h"
#include "config/settings.h"

/* The folders of a branch and its project, as descriptors. */
typedef struct {
    int upper, project;
    branch_copied *copied; /* when UPPER is a copy (box/registry/branch_copied.h); or NULL */
} branch_folders;
/* FALSE with ERROR. A branch that has never started has no upper folder: -1. */
gboolean branch_folders_open(const struct box *self, branch_folders *folders, GError **error);
void branch_folders_close(branch_folders *folders);

/* What SELF has changed; names as WANTED protects them. NULL with ERROR. */
branch_changes *branch_view(const struct box *self, const settings *wanted, GError **error);

/* Of the changes that are files, links and the like: folders alone say little. */
guint branch_changes_count(const branch_changes *changes);
/* "3 files changed" for people; "nothing changed". A new string. */
char *branch_changes_describe(const branch_changes *changes);
/* "protected name, leads out of the project"; "" for none. A new string. */
char *branch_doubts_describe(unsigned doubts);
/* 'A' added, 'M' changed, 'D' deleted, 'T' another kind, as git has them. */
char branch_change_letter(const branch_change *change);
