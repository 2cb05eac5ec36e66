/* Goes through a folder and those in it, sorted by name. Follows no link. libc only. */
#pragma once

#include <sys/stat.h>

/* Levels of folders; each needs a descriptor. */
#define WALK_DEPTH_MAX 64

struct walk {
    int depth; /* levels that are wanted */
    /* NAME in FOLDER is PATH from the project. 1: go on; 0: enough. */
    int (*visit)(void *data, int folder, const char *name, const char *path, const struct stat *st);
    void *data;
};

/* PATH: of the folder FD from the project, "." for that itself. Closes FD. 1, or 0: enough. A
 * folder that cannot be read is left out. */
int walk_folder(const struct walk *self, int fd, const char *path, int level);
/* Whether PATH or its last part matches PATTERN; "" matches all. */
int walk_matches(const char *pattern, const char *path);
