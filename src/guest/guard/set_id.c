#include "guest/guard/set_id.h"

#include <stdint.h>

#include "guest/guard/file_system.h"

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
