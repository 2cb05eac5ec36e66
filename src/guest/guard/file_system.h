/* What a file system can do, and which bits its files may have. */
#pragma once

#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* 1 when names in FOLDER differ by case for sure. */
int guard_folder_has_case(int folder);
/* 1 when files in FOLDER can have several names for sure. */
int guard_folder_has_links(int folder);

/* 1 when FOLDER lies on btrfs. */
int guard_folder_has_subvolumes(int folder);

/* 1 when IS_ONE says yes of FOLDER, which is closed, or of one above it, or when nobody can tell,
 * as of -1. */
int guard_folder_is_within(int folder, int (*is_one)(const struct stat *st));

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

/*
 * The set-user-ID and set-group-ID bits. What a box makes in the project or its home is a file of
 * the user's on the host: there another user could run it as them, though in the box no_new_privs
 * keeps the bits from meaning anything. So they are dropped, as POSIX lets chmod() do, from all but
 * folders and what lies in the box's own root file system, where packages are installed.
 */

#define GUARD_SET_ID_BITS 06000

/* Rights by which another user of the host could make or write what the box cannot. */
#define GUARD_OTHERS_WRITE 022

/* Once, when the guard starts: which mount is the box's root. */
void guard_set_id_begin(void);
/* MODE as a file may have it that is FD or is made in the folder FD. */
mode_t guard_set_id_drop(int fd, mode_t mode);
