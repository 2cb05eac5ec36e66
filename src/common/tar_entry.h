/* One entry of a tar archive (POSIX.1-2001 "pax", ustar). */
#pragma once

#include <glib.h>

#define TAR_BLOCK 512

/* Bytes of a name or of a link's target, as the kernel's PATH_MAX. */
#define TAR_NAME_MAX 4096

/* Types, as the header has them. */
enum {
    TAR_FILE = '0',
    TAR_HARD_LINK = '1',
    TAR_SYMLINK = '2',
    TAR_CHARACTER_DEVICE = '3',
    TAR_BLOCK_DEVICE = '4',
    TAR_FOLDER = '5',
    TAR_FIFO = '6',
};

typedef struct {
    char type;
    guint32 mode; /* 07777 */
    guint64 uid, gid;
    guint64 size;            /* of the contents that follow; 0 unless TYPE is TAR_FILE */
    gint64 mtime;            /* seconds since 1970 */
    const char *name;        /* as it is in the archive; never empty */
    const char *target;      /* of a link, never empty there; else "" */
    gboolean has_capability; /* the extended attribute "security.capability" */
} tar_entry;
