#include "guest/guard/git_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest/guard/calls.h"
#include "guest/guard/file_system.h"
#include "guest/guard/git_config.h"
#include "guest/guard/git_names.h"
#include "guest/guard/procfs.h"
#include "guest/guard/umask.h"

int memory_file_new(void)
{
    return memfd_create("git", MFD_CLOEXEC);
}

/* One that stays empty: writing to it is refused with EPERM. -1 with errno. */
static int memory_file_new_empty(void)
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

#define NAME_ROOM 64

/* A name of this worker's own. */
static void own_name(char name[NAME_ROOM])
{
    snprintf(name, NAME_ROOM, GIT_GUARD_PREFIX "%d", (int)getpid());
}

char *git_file_read(int fd, size_t *length, int *error)
{
    struct stat st;
    *error = fstat(fd, &st) < 0 ? errno : st.st_size > GIT_CONFIG_MAX ? EFBIG : 0;
    char *text = *error ? NULL : malloc(GIT_CONFIG_MAX + 1);
    *length = 0;
    for (ssize_t n = 1; text && n > 0 && *length <= GIT_CONFIG_MAX; *length += (size_t)n) {
        n = read(fd, text + *length, GIT_CONFIG_MAX + 1 - *length);
        if (n < 0) {
            *error = errno;
            n = 0;
        }
    }
    if (!text && !*error)
        *error = ENOMEM;
    return text;
}

char *git_file_read_name(int folder, const char *name, size_t *length)
{
    int error, fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char *text = NULL;
    *length = 0;
    if (fd >= 0) {
        text = git_file_read(fd, length, &error);
        close(fd);
    }
    return text;
}

static int write_all(int fd, const char *text, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t n = write(fd, text + done, length - done);
        if (n < 0)
            return errno;
        done += (size_t)n;
    }
    return 0;
}

int git_file_take_mode(struct guard_request *request, mode_t *mode)
{
    int error = guard_umask_take(request);
    mode_t mask = umask(0);
    umask(mask);
    *mode = request->mode & 0666 & ~(mask | GUARD_OTHERS_WRITE);
    return error;
}

int git_file_write(const struct guard_place *made, const char *text, size_t length, mode_t mode,
                   int *fd)
{
    char own[NAME_ROOM];
    own_name(own);
    unlinkat(made->folder, own, 0); /* of a worker that was killed */
    mode_t mask = umask(0);         /* of another caller, perhaps */
    int to = openat(made->folder, own, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    int error = call_error(to);
    umask(mask);
    if (error)
        return error;
    error = write_all(to, text, length);
    if (!error && fd) {
        *fd = openat(made->folder, own, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        error = call_error(*fd);
    }
    close(to);
    if (error)
        unlinkat(made->folder, own, 0);
    return error;
}

int git_file_make_empty(struct guard_request *request, const struct guard_place *made, int *fd)
{
    int empty = memory_file_new_empty(), error = call_error(empty);
    mode_t mode = 0;
    *fd = error ? -1 : memory_file_open(empty, request->flags);
    if (!error)
        error = call_error(*fd);
    if (!error)
        error = git_file_take_mode(request, &mode);
    if (!error)
        error = git_file_write(made, "", 0, mode, NULL);
    if (!error)
        error = git_file_rename(made, RENAME_NOREPLACE);
    if (error && *fd >= 0)
        close(*fd);
    if (empty >= 0)
        close(empty);
    return error;
}

int git_file_link(int fd, const struct guard_place *made)
{
    char own[NAME_ROOM], from[32];
    own_name(own);
    snprintf(from, sizeof from, "%d", fd);
    unlinkat(made->folder, own, 0);
    return call_error(linkat(guard_procfs_own(), from, made->folder, own, AT_SYMLINK_FOLLOW));
}

int git_file_rename(const struct guard_place *made, unsigned flags)
{
    char own[NAME_ROOM];
    own_name(own);
    int error = call_error(renameat2(made->folder, own, made->folder, made->name, flags));
    /* It also stays where both names were one file's before. */
    if (error)
        unlinkat(made->folder, own, 0);
    return error;
}
