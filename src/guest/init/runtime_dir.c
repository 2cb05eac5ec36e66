#include "guest/init/runtime_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

const char *runtime_dir_path(const struct init_options *options)
{
    static char path[64];
    snprintf(path, sizeof path, RUNTIME_DIR_PARENT "/%u", (unsigned)options->uid);
    return path;
}

int runtime_dir_make(const struct init_options *options)
{
    const char *path = runtime_dir_path(options);
    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        return -1;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int done = fd < 0 ? -1 : fchown(fd, options->uid, options->gid);
    if (fd >= 0)
        close(fd);
    return done;
}
