/*
 * What the host had when a branch began to be apart from it: the files that git tracks. Overlay
 * keeps nothing of that, and where both sides change a file, a merge needs it.
 *
 * It is found at each start of the branch, by one lstat(2) a file. One that git's index knows as it
 * is needs no copy: git has the object. Of others there is a copy, if they are small. A file that
 * the branch has changed by then keeps what was found earlier. Files that git does not track are
 * not known: to copy or hash all of a project would cost seconds at each start.
 *
 *   then/list   NUL-terminated strings: how many copies there were, and then for each file its path
 *               and source: "=NUMBER" of a copy, "OBJECT SIZE" in git, or "-", which is unknown
 *   then/NUMBER the copies
 */
#pragma once

#include <sys/stat.h>

#include "box/registry/box.h"

/* The largest file of which there is a copy. */
#define BRANCH_THEN_FILE_MAX (1 << 20)

typedef struct branch_then branch_then;

/* In the branch's data folder: what the last take has saved for its undo. */
#define BRANCH_THEN_UNDO "last/then"

/* From read to write, where both are done: a start and a take may be at work at once. Close it. -1
 * with ERROR. */
int branch_then_lock(const struct box *self, GError **error);
/* Empty when there is none, or it cannot be read. */
branch_then *branch_then_read(const struct box *self);
void branch_then_free(branch_then *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(branch_then, branch_then_free)

/* TRUE when it is known what the host had at PATH. */
gboolean branch_then_knows(const branch_then *self, const char *path);
/* The same, unless the copy is gone. Then it is in the open file *FD, or in git's
 * object *OBJECT, which belongs to SELF; the other is -1, or NULL. */
gboolean branch_then_find(const branch_then *self, const char *path, int *fd, const char **object);
/* 1: FD, of ST, has what the host had at PATH; 0: it has not; -1: that is not known. */
int branch_then_is(const branch_then *self, const char *path, int fd, const struct stat *st);

/* From now on the host had at PATH what is in FD; -1: unknown. */
void branch_then_set(branch_then *self, const char *path, int fd);
gboolean branch_then_write(const branch_then *self, GError **error);
/* Writes what SELF knows of PATHS to FILE, so that branch_then_restore() brings it back. */
gboolean branch_then_save(const branch_then *self, const GPtrArray *paths, const char *file,
                          GError **error);
void branch_then_restore(branch_then *self, const char *file);

/* SELF, which does not run, is about to. OWN: paths of what it has changed, sorted. FALSE with
 * ERROR. */
gboolean branch_then_start(const struct box *self, const GPtrArray *own, GError **error);
