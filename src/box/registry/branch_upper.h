/*
 * What a branch has in place of the host's: the upper folder of its overlay, or its copy.
 *
 * An overlay (the kernel's filesystems/overlayfs.rst, with userxattr) has there what was changed: a
 * character device 0:0 is a whiteout, and a folder with user.overlay.opaque hides all of the
 * host's. A copy has all files, and COPIED says which of them are the host's; what that lists and
 * the copy has not is a whiteout. COPIED is NULL for an overlay. PATH is relative to the top.
 */
#pragma once

#include <glib.h>
#include <sys/stat.h>

#include "box/registry/branch_copied.h"

gboolean branch_upper_is_whiteout(const struct stat *st);
/* The open folder FD hides all of the host's. */
gboolean branch_upper_hides(const branch_copied *copied, int fd);
/* The names in the open folder FD, which is at PATH, that are the branch's, and all folders there;
 * sorted. Whiteouts are among them, and GONE gets these, too. NULL with errno. */
GPtrArray *branch_upper_names(const branch_copied *copied, int fd, const char *path,
                              GPtrArray *gone);
/* Adds to FOUND the paths below IN ("": the top) of the open top folder TOP that are the branch's,
 * and not only a way to others; whiteouts, too. */
void branch_upper_list(const branch_copied *copied, int top, const char *in, GPtrArray *found);
/* TRUE when there is one; WITH_GONE: whiteouts count. */
gboolean branch_upper_has(const branch_copied *copied, int top, const char *in, gboolean with_gone);
/* What a box sees at PATH: a regular file of UPPER, or else of LOWER where UPPER does not hide it,
 * of at most MAX bytes. A new string; NULL when there is none. No link is followed. */
char *branch_upper_read_text(const branch_copied *copied, int upper, int lower, const char *path,
                             gsize max);
