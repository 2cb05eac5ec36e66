/*
 * The corners of procfs where a path means something else for each process: self, thread-self, and
 * the links that lead to a process's files. The guard must take them as its caller would, and must
 * never be led to its own.
 */
#pragma once

#include "guest/common/init_options.h"
#include "guest/guard/request.h"

enum guard_owner {
    GUARD_OF_GUARD,  /* of the guard itself, or not to be told: must not be used */
    GUARD_OF_CALLER, /* of the caller */
    GUARD_OF_OTHERS, /* of another process, or of none */
};

/* 1 when FD is in a procfs; also when that cannot be told. */
int guard_procfs_is(int fd);
/* Whose folder of a procfs FOLDER is. */
enum guard_owner guard_procfs_owner(struct guard_request *request, int folder);

/*
 * Reads the link NAME in FOLDER, of a procfs, as the caller would. 0: TEXT is where it leads, or
 * *OBJECT is what it leads to (O_PATH). Else an errno; EINVAL when it is no link.
 */
int guard_procfs_follow(struct guard_request *request, int folder, const char *name,
                        char text[PATH_MAX], int *object);

/* This process's own descriptors as a folder, which also works under another root. */
int guard_procfs_own(void);
/* Opens that folder; once in each process. -1 with errno. */
int guard_procfs_begin(void);

/* Opening in folders of /proc that may be root's or the user's. */

/*
 * Opens NAME in FOLDER (O_PATH, and FLAGS), which may be root's or the user's alone: the folder fd/
 * of a process that is not dumpable is root's, that of another its user's, and no capability of
 * ours helps there. -1 with errno.
 */
int guard_proc_open(const struct init_options *options, int folder, const char *name, int flags);
