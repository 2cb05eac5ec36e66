/*
 * Files of git that the guard writes, in git folders and beside them: under a name of its own,
 * which no other call of a box may use anywhere, and renamed when they are whole.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "guest/guard/lookup.h"

/* Files in memory that a box writes to in place of one of the host. */

/* A new one, or -1 with errno. */
int memory_file_new(void);
/* FD, such a file, opened anew as FLAGS of open(2) say. -1 with errno. */
int memory_file_open(int fd, int flags);

/*
 * What FD holds, at most GIT_CONFIG_MAX + 1 bytes from where it is, with its *LENGTH. Free it. NULL
 * with an errno in *ERROR: EFBIG for more.
 */
char *git_file_read(int fd, size_t *length, int *error);
/* The same of the plain file NAME in FOLDER; NULL when there is none to read. */
char *git_file_read_name(int folder, const char *name, size_t *length);

/* The mode that a file has which the caller makes, but for rights of others to write. 0, or an
 * errno. */
int git_file_take_mode(struct guard_request *request, mode_t *mode);
/* Writes LENGTH bytes at TEXT to a file of MODE, whatever the umask, beside MADE, under the guard's
 * own name. 0, or an errno. *FD, unless FD is NULL, is the file, O_PATH. */
int git_file_write(const struct guard_place *made, const char *text, size_t length, mode_t mode,
                   int *fd);
/*
 * open(2) of MADE for writing, with O_CREAT: a configuration that does not exist. It is made empty,
 * which says as much as none, and *FD takes no byte: libgit2 begins so, and then renames its first
 * configuration over it. 0, or an errno.
 */
int git_file_make_empty(struct guard_request *request, const struct guard_place *made, int *fd);
/* Gives the file FD the guard's own name beside MADE as well. 0, or an errno. */
int git_file_link(int fd, const struct guard_place *made);
/* Renames what has the guard's own name to MADE; FLAGS: of renameat2(2). 0, or an errno: then it is
 * gone. */
int git_file_rename(const struct guard_place *made, unsigned flags);
