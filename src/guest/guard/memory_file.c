#include "guest/guard/memory_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>

#include "guest/guard/procfs.h"

int memory_file_new(void)
{
    return memfd_create("git", MFD_CLOEXEC);
}

int memory_file_open(int fd, int flags)
{
    char name[32];
    const int kept = O_ACCMODE | O_APPEND | O_NONBLOCK | O_TRUNC;
    snprintf(name, sizeof name, "%d", fd);
    return openat(guard_procfs_own(), name, (flags & kept) | O_CLOEXEC);
}
