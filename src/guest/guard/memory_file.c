#include "guest/guard/memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "guest/guard/procfs.h"

int memory_file_new(void)
{
    return memfd_create("git", MFD_CLOEXEC);
}

int memory_file_new_empty(void)
{
    int fd = memfd_create("git", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SEAL) < 0) {
        int error = errno;
        close(fd);
        fd = -1;
        errno = error;
    }
    return fd;
}

int memory_file_open(int fd, int flags)
{
    char name[32];
    const int kept = O_ACCMODE | O_APPEND | O_NONBLOCK | O_TRUNC;
    snprintf(name, sizeof name, "%d", fd);
    return openat(guard_procfs_own(), name, (flags & kept) | O_CLOEXEC);
}
