/* What a file system can do. */
#pragma once

#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>

/* 1 when names in FOLDER differ by case for sure. */
int guard_folder_has_case(int folder);
/* 1 when files in FOLDER can have several names for sure. */
int guard_folder_has_links(int folder);

/* Which mount a file lies on. */

/*
 * Sets *ID to the mount of PATH in FOLDER, or of FOLDER itself when PATH is "". 0, or -1: it cannot
 * be told, as on Linux before 5.8.
 */
static inline int guard_mount_id(int folder, const char *path, uint64_t *id)
{
    struct statx st;
    if (statx(folder, path, *path ? AT_SYMLINK_NOFOLLOW : AT_EMPTY_PATH, STATX_MNT_ID, &st) < 0 ||
        !(st.stx_mask & STATX_MNT_ID))
        return -1;
    *id = st.stx_mnt_id;
    return 0;
}
