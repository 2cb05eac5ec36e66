/*
 * The index of a git repository (gitformat-index(5)), versions 2 to 4 with SHA-1: which files git
 * tracks, and what they were when it last looked. A box may have written it.
 */
#pragma once

#include <glib.h>

#define GIT_OBJECT_ID_LENGTH 40

typedef struct {
    const char *path; /* any bytes but NUL */
    char object[GIT_OBJECT_ID_LENGTH + 1];
    guint32 mtime, mtime_ns, inode, size; /* of the file; low bits alone */
    guint32 mode;                         /* as git has it: 0100644, 0100755, 0120000, 0160000 */
    unsigned stage;                       /* 0, unless a merge is under way */
} git_index_entry;

/* Calls EACH for the entries of DATA. FALSE when it is no such index, or only a part of one (a
 * split index); EACH may have been called by then. */
gboolean git_index_parse(const char *data, gsize length,
                         void (*each)(const git_index_entry *entry, void *data), void *to);
