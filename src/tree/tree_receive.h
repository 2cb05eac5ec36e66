/* The receiver of a tree (tree_stream.h), from a sender that may be hostile. libc only. */
#pragma once

#include <stddef.h>

#include "tree/tree_stream.h"

struct tree_receiver {
    int folder;       /* where the top is made, */
    const char *name; /* under this name */
    int any_links;    /* also links that lead out of the tree */
    /* Whether PATH, from the top's name on, is wanted; a folder that is not goes with all that is
     * in it. NULL: all is. */
    int (*wants)(void *data, const char *path);
    /* Whether nobody else may write the file PATH. Under any other name they could open it, and go
     * on writing when it has that one. NULL: none is. */
    int (*is_protected)(void *data, const char *path);
    /* Something is left out; TEXT is hostile. */
    void (*note)(void *data, const char *text);
    void *data;
};

/*
 * Reads a tree from IN and makes it. Follows no link, and names no file outside of the tree: each
 * entry is made by its name alone in a folder that is open. Never makes a device or anything with
 * set-user-ID. An existing folder is filled; an existing file is replaced when the new one is
 * complete; what else exists is an error. 0, or -1 with a message of at most TREE_TEXT_MAX bytes,
 * hostile, in ERROR; a file that is not complete is removed then.
 */
int tree_receive(int in, const struct tree_receiver *to, char *error);

/*
 * Whether the link with TARGET, in a folder that is DEPTH folders below the one which holds the
 * top, stays in the tree, whatever the other links are: its ".." lead no higher than the top, and
 * none comes after a name, which could be a link. 1 or 0.
 */
int tree_link_stays(const char *target, int depth);
