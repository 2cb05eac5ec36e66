/*
 * The corners of procfs where a path means something else for each process: self, thread-self, and
 * the links that lead to a process's files. The guard must take them as its caller would, and must
 * never be led to its own.
 */
#pragma once

#include "guest/guard/held_call.h"

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
/* Where the descriptor FD leads, as that folder says. 0, or -1: it has no path, as a pipe, or
 * nobody can tell, and PATH is "". */
int guard_procfs_path(int fd, char path[PATH_MAX]);
/* Opens that folder; once in each process. -1 with errno. */
int guard_procfs_begin(void);

/* What NAME in the folder of REQUEST's caller in /proc leads to, O_PATH, with FLAGS of open(2); -1
 * with errno. Needs the right to look into processes (guest/guard/rights.h). */
int guard_procfs_open_of(const struct guard_request *request, const char *name, int flags);
/* The same of its descriptor FD; EBADF where there is none. */
int guard_procfs_descriptor(const struct guard_request *request, int fd, int flags);
