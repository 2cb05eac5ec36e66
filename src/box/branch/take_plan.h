/*
 * What a take is going to do, with copies of all that it needs, in the branch's data folder:
 *
 *   take/new/N   the contents that file number N gets
 *   take/old/N   those that it has
 *   take/branch/N  what the branch has of it, where that is not taken but merged
 *   take/then    what was known of what the host had when the branch began (branch_then.h)
 *   take/plan    the list; when it is there, all copies are complete and on the disk
 *
 * After the take the folder is called "last".
 */
#pragma once

#include <sys/stat.h>

#include "box/registry/box.h"

#define TAKE_FOLDER "take"
#define TAKE_LAST "last"
#define TAKE_THEN "then" /* with TAKE_LAST: BRANCH_THEN_UNDO */

enum take_copy { TAKE_COPY_NEW, TAKE_COPY_OLD, TAKE_COPY_BRANCH, N_TAKE_COPIES };
/* The folders of copies in that of the plan. */
extern const char *const take_copy_names[N_TAKE_COPIES];

typedef struct {
    char *path;            /* relative to the project */
    mode_t before, after;  /* kind and rights; 0: nothing */
    guint64 inode;         /* of the host's file; with size and time it shows a change */
    gint64 size, mtime;    /* mtime in nanoseconds */
    char *old_link, *link; /* targets of links, before and after */
    gboolean moved_on;     /* the host has changed it since the branch began */
    gboolean is_merged;    /* what it gets is a merge; the branch has something else. Not written */
    gboolean is_partial;   /* it gets a part of what the branch has. Not written */
    guint conflicts;       /* of the merge, marked in it. Not written */
    gboolean is_protected; /* boxes of the project must not write it, or not see it */
} take_item;

typedef struct {
    char *folder;     /* absolute */
    char *id;         /* names temporary files in the project: hexadecimal digits */
    GPtrArray *items; /* of take_item, sorted by path */
    int aside;        /* FOLDER, for temporary files; -1: files cannot be moved from there */
} take_plan;

take_plan *take_plan_new(const struct box *of);
void take_plan_free(take_plan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(take_plan, take_plan_free)

take_item *take_plan_add(take_plan *self, const char *path);
/* Whether ST is what the item had on the host. */
gboolean take_item_is_before(const take_item *item, const struct stat *st);
void take_item_set_before(take_item *item, const struct stat *st);

/* The copy of item number INDEX, for reading; -1 with errno. */
int take_plan_open(const take_plan *self, enum take_copy of, guint index);
/* A new one, for reading and writing; -1 with errno. */
int take_plan_make(const take_plan *self, enum take_copy of, guint index);
/* Copies all of FD into it. FALSE with errno. */
gboolean take_plan_copy(const take_plan *self, enum take_copy of, guint index, int fd);
/* What the item gets is what the branch has, from now on: TAKE_COPY_NEW is TAKE_COPY_BRANCH, and
 * can be made anew. -1 with errno. */
int take_plan_set_aside(const take_plan *self, guint index);

/* The item gets DATA, of LENGTH bytes. FALSE with errno. */
gboolean take_plan_rewrite(const take_plan *self, guint index, const char *data, gsize length);
/* Removes the items whose KEEP, one for each, is FALSE, with their copies: numbers change. FALSE
 * with errno: SELF is of no use any more. */
gboolean take_plan_keep(take_plan *self, const gboolean *keep);

/* Sets ASIDE for files of PROJECT (a descriptor), if an item is protected and FOLDER is there. */
void take_plan_find_aside(take_plan *self, int project);

/* Makes sure that the copies are on the disk, and then writes the list. */
gboolean take_plan_write(const take_plan *self, GError **error);
/* That of FOLDER, one of the two above; NULL without ERROR when there is none. */
take_plan *take_plan_read(const struct box *of, const char *folder, GError **error);
