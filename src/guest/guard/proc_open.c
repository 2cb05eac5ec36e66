#include "guest/guard/proc_open.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/fsuid.h>

int guard_proc_open(const struct init_options *options, int folder, const char *name, int flags)
{
    int fd = openat(folder, name, O_PATH | O_CLOEXEC | flags);
    if (fd >= 0 || errno != EACCES)
        return fd;
    uid_t before = (uid_t)setfsuid(0);
    if (before == 0)
        setfsuid(options->uid);
    fd = openat(folder, name, O_PATH | O_CLOEXEC | flags);
    int saved = errno;
    setfsuid(before);
    errno = saved;
    return fd;
}
