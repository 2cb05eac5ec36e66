#include "guest/guard/file_system.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <unistd.h>

/* The kernel's headers of Debian 12 lack these. */
#define XFS_MAGIC 0x58465342
#define BCACHEFS_MAGIC 0xca451a4e
/* Folders above one another. */
#define CLIMB_MAX 4096

int guard_folder_has_links(int folder)
{
    struct statfs st;
    if (fstatfs(folder, &st) < 0)
        return 0;
    switch ((unsigned long)st.f_type) {
    case EXT4_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case XFS_MAGIC:
    case TMPFS_MAGIC:
    case F2FS_SUPER_MAGIC:
    case OVERLAYFS_SUPER_MAGIC:
    case BCACHEFS_MAGIC:
        return 1;
    default:
        return 0;
    }
}

int guard_folder_has_subvolumes(int folder)
{
    struct statfs st;
    return fstatfs(folder, &st) == 0 && (unsigned long)st.f_type == BTRFS_SUPER_MAGIC;
}

int guard_folder_has_case(int folder)
{
    int flags = 0, fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* A file system without these flags has no folded folders. */
    int has_case = fd >= 0 && guard_folder_has_links(folder) &&
                   !(ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 && (flags & FS_CASEFOLD_FL));
    if (fd >= 0)
        close(fd);
    return has_case;
}

int guard_folder_is_within(int folder, int (*is_one)(const struct stat *st))
{
    struct stat st, before = {0};
    int found = -1;
    for (int i = 0; i < CLIMB_MAX && found < 0 && folder >= 0 && fstat(folder, &st) == 0; i++) {
        if (is_one(&st))
            found = 1;
        else if (i && st.st_dev == before.st_dev && st.st_ino == before.st_ino)
            found = 0; /* the root is its own parent */
        before = st;
        int up = openat(folder, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
        close(folder);
        folder = up;
    }
    if (folder >= 0)
        close(folder);
    return found != 0;
}

static int is_root_known;
static uint64_t root_mount;

void guard_set_id_begin(void)
{
    is_root_known = guard_mount_id(AT_FDCWD, "/", &root_mount) == 0;
}

mode_t guard_set_id_drop(int fd, mode_t mode)
{
    uint64_t mount;
    if (!(mode & GUARD_SET_ID_BITS) ||
        (is_root_known && guard_mount_id(fd, "", &mount) == 0 && mount == root_mount))
        return mode;
    return mode & ~(mode_t)GUARD_SET_ID_BITS;
}
