#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest/guard/calls.h"
#include "guest/guard/hidden.h"
#include "guest/guard/procfs.h"

/* PATH as the caller wants it resolved. O_PATH, or -1 with errno. */
static int resolve_as_asked(const struct guard_request *request, const char *path, int flags)
{
    struct open_how how = {.flags = O_PATH | O_CLOEXEC | (unsigned)flags,
                           .resolve = request->resolve | RESOLVE_NO_MAGICLINKS};
    int fd = (int)syscall(SYS_openat2, request->made.base, path, &how, sizeof how);
    /* A link of /proc to a file is the caller's own way; the guard would go its own. */
    if (fd < 0 && errno == ELOOP &&
        !(request->resolve & (RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS)))
        errno = ENOSYS;
    return fd;
}

/* Of a procfs, folders alone: for files see open_proc() of guest/guard/open.c. */
static int open_folder_in_proc(struct guard_request *request, int object, const struct stat *st,
                               int *fd)
{
    if (!S_ISDIR(st->st_mode) || guard_procfs_owner(request, object) == GUARD_OF_GUARD)
        return ENOSYS;
    *fd = guard_open_now(0, object, ".", request->flags & ~O_PATH, 0);
    return *fd < 0 ? errno : 0;
}

/* /dev/tty can be opened by those alone who have a terminal, whichever it is. */
void guard_openat2_prepare(const struct guard_request *request)
{
    char path[64];
    int number, unlock = 0;
    if (request->act != GUARD_OPEN_HOW || !(request->flags & O_PATH) || setsid() < 0)
        return;
    int master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0 || ioctl(master, TIOCSPTLCK, &unlock) < 0 ||
        ioctl(master, TIOCGPTN, &number) < 0)
        return;
    snprintf(path, sizeof path, "/dev/pts/%d", number);
    open(path, O_RDWR | O_CLOEXEC);
}

/* Of O_PATH: FOUND opened for reading, which must neither wait nor do anything. */
static int open_for_path(struct guard_request *request, int object, const struct stat *st, int *fd)
{
    char name[32];
    if (S_ISSOCK(st->st_mode) || S_ISLNK(st->st_mode) || S_ISBLK(st->st_mode))
        return ENOSYS;
    snprintf(name, sizeof name, "%d", object);
    *fd = guard_open_now(0, guard_procfs_own(), name, O_RDONLY | O_NONBLOCK, 0);
    if (*fd < 0 || guard_hidden_look(request, *fd) == GUARD_SHOWS)
        return *fd < 0 ? errno : 0;
    close(*fd);
    *fd = -1;
    return EACCES;
}

static int open_found(struct guard_request *request, int object, int *fd)
{
    struct guard_place place = {.folder = -1, .object = object};
    struct stat st;
    if (fstat(object, &st) < 0)
        return errno;
    if (guard_procfs_is(object))
        return open_folder_in_proc(request, object, &st, fd);
    if (request->flags & O_PATH)
        return open_for_path(request, object, &st, fd);
    if (S_ISLNK(st.st_mode))
        return ELOOP; /* O_NOFOLLOW */
    int error = guard_open_place(request, &place, fd);
    return error == GUARD_CHANGED ? EAGAIN : error;
}

/*
 * A new name: what it lies in is found as the caller wants it, and the name is in there. O_EXCL, as
 * a link of that name, which leads nowhere, is not followed here.
 */
static int open_made(struct guard_request *request, int *fd)
{
    struct guard_place place = {.object = -1};
    char way[PATH_MAX];
    size_t length = guard_last_part(request->made.text);
    const char *name = request->made.text + length;
    memcpy(way, request->made.text, length);
    strcpy(way + length, ".");
    place.folder = resolve_as_asked(request, way, O_DIRECTORY);
    if (place.folder < 0)
        return errno;
    strcpy(place.name, name);
    place.length = strcspn(name, "/");
    int exclusive = request->flags & O_EXCL;
    int error = !place.length ? EISDIR : guard_procfs_is(place.folder) ? ENOSYS : 0;
    request->flags |= O_EXCL;
    if (!error)
        error = guard_open_place(request, &place, fd);
    close(place.folder);
    return error == GUARD_CHANGED || (error == EEXIST && !exclusive) ? ENOSYS : error;
}

int guard_openat2_open(struct guard_request *request, int *fd)
{
    int flags = request->flags;
    int exclusive = (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
    if (strlen(request->made.text) + 2 > PATH_MAX)
        return ENAMETOOLONG;
    if (exclusive)
        return open_made(request, fd);
    int object = resolve_as_asked(request, request->made.text, flags & (O_DIRECTORY | O_NOFOLLOW));
    if (object < 0)
        return errno == ENOENT && (flags & O_CREAT) ? open_made(request, fd) : errno;
    int error = (flags & O_TMPFILE) == O_TMPFILE ? guard_open_unnamed(request, object, fd)
                                                 : open_found(request, object, fd);
    close(object);
    return error;
}
