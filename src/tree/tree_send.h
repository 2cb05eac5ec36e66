/* The sender of a tree (tree_stream.h). libc only. */
#pragma once

/*
 * Writes the file or folder NAME in the folder DIRFD to OUT, then DONE, or FAILED. Follows a
 * symbolic link that NAME itself is only with FOLLOW; those in the folder are sent as links.
 * What is neither file, folder nor link, or cannot be read, is left out with a NOTE. 0; -1 when
 * the other end has gone (errno EPIPE) or FAILED was sent.
 */
int tree_send(int out, int dirfd, const char *name, int follow);
