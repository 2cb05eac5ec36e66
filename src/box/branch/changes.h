/*
 * What a branch has changed in its project: its upper folder (box/registry/branch_upper.h),
 * compared with what the host has now. Both folders are hostile: a box has written them, and may do
 * so meanwhile.
 */
#pragma once

#include <sys/stat.h>
#include <time.h>

#include "box/registry/branch_copied.h"
#include "config/settings.h"

/* Why something is not taken as it is. */
enum branch_doubt {
    BRANCH_PROTECTED = 1 << 0, /* tools of the host run or obey it, or it is hidden */
    BRANCH_LINK_OUT = 1 << 1,  /* a link that leads out of the project, or may */
    BRANCH_TWIN = 1 << 2,      /* its name differs from another one only in case */
    BRANCH_CONTROL = 1 << 3,   /* its name has characters that a terminal obeys or hides */
    BRANCH_MOVED_ON = 1 << 4,  /* the host has changed it since the branch began */
    BRANCH_SPECIAL = 1 << 5,   /* a FIFO, socket or device */
    BRANCH_UNREAD = 1 << 6,    /* it cannot be read, or has too many folders above it */
    BRANCH_MERGES = 1 << 7,    /* MOVED_ON, and both are texts that have been the same */
    BRANCH_LARGE = 1 << 8,     /* in a commit: it would fill the disk */
};
/* Those that a yes of the user's does not change. */
#define BRANCH_NEVER (BRANCH_SPECIAL | BRANCH_UNREAD | BRANCH_LARGE)
/* Those that need a yes for this path. */
#define BRANCH_NEEDS_YES (BRANCH_PROTECTED | BRANCH_LINK_OUT | BRANCH_TWIN | BRANCH_CONTROL)

typedef struct {
    char *path;           /* relative to the project, any bytes */
    mode_t before, after; /* st_mode on the host and in the branch; 0: there is nothing */
    gint64 size;          /* in the branch, bytes */
    unsigned doubts;      /* enum branch_doubt */
    gboolean twin_goes;   /* the branch has removed a name that differs from it only in case */
} branch_change;

typedef struct {
    GPtrArray *list; /* of branch_change, sorted by path: a folder comes before what is in it */
    gboolean git;    /* the project's own .git has changed, which is not in the list */
    gboolean is_cut; /* there are more than BRANCH_CHANGES_MAX */
} branch_changes;
void branch_changes_free(branch_changes *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(branch_changes, branch_changes_free)

#define BRANCH_CHANGES_MAX 1000000

/* How the branch and the host are compared. */
typedef struct {
    const settings *wanted;      /* names that it protects or hides */
    const char *project;         /* absolute path */
    const branch_copied *copied; /* of the upper folder, when that is a copy; or NULL */
    /* The host has moved on with PATH when it has changed since then. */
    const struct timespec *(*since)(void *data, const char *path);
    /* TRUE: the host's file of ST at PATH is what the branch itself has put there; or NULL. */
    gboolean (*is_ours)(void *data, const char *path, const struct stat *st);
    /* 1: FD, of ST, has what the host had at PATH before it moved on; 0: not; -1: unknown. Or
     * NULL. */
    int (*is_then)(void *data, const char *path, int fd, const struct stat *st);
    void *data;
} branch_scan;

/* Of the folders UPPER and PROJECT (descriptors). Reads only what the branch has changed. */
branch_changes *branch_changes_find(int upper, int project, const branch_scan *scan);

branch_changes *branch_changes_none(void);
/* The doubts that come from the name PATH, where something IS_THERE, or nothing any more: WANTED
 * says which names are protected. */
unsigned branch_name_doubts(const settings *wanted, const char *path, gboolean is_there);
/* Adds CHANGE, whose path is copied, with the doubts that come from its name. */
void branch_changes_add(branch_changes *self, const settings *wanted, const branch_change *change);
/* Removes the changes for which KEEP is FALSE. */
void branch_changes_keep(branch_changes *self,
                         gboolean (*keep)(const branch_change *change, void *data), void *data);
