/* Folders that an overlay writes (the kernel's filesystems/overlayfs.rst, with userxattr). */
#pragma once

#include <glib.h>
#include <sys/stat.h>

gboolean overlay_is_whiteout(const struct stat *st);
/* The open folder FD hides all of the one below it. */
gboolean overlay_is_opaque(int fd);
/* What a box sees at PATH: a regular file of UPPER, or else of LOWER where UPPER does not hide it,
 * of at most MAX bytes. A new string; NULL when there is none. No link is followed. */
char *overlay_read_text(int upper, int lower, const char *path, gsize max);
