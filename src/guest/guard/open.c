#include "guest/guard/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "guest/guard/decide.h"
#include "guest/guard/patience.h"
#include "guest/guard/proc.h"
#include "guest/guard/rights.h"

#define TRIES 16
#define MEMORY_MAJOR 1 /* null, zero, full, random … */
#define TERMINAL_MAJOR 136
/* What F_SETFL sets. */
#define STATUS_FLAGS (O_APPEND | O_DIRECT | O_NOATIME | O_NONBLOCK)

static int writes(int flags)
{
    return (flags & (O_ACCMODE | O_TRUNC)) != 0;
}

/*
 * What was a plain file when it was looked at, or nothing. Should it be something else by now, the
 * guard must not hang on it: hence O_NONBLOCK, which a plain file takes no notice of.
 */
static int open_plain(struct guard_request *request, const struct guard_place *place, int flags,
                      int *fd)
{
    *fd = guard_open_now(1, place->folder, place->name, flags | O_NONBLOCK, request->mode);
    if (*fd < 0 && errno == EAGAIN && !(flags & O_NONBLOCK)) /* a lease is being given up */
        return guard_open_patiently(request, 1, place->folder, place->name, flags, fd);
    if (*fd < 0)
        return (errno == ELOOP && !(flags & O_NOFOLLOW)) || errno == ENXIO ? GUARD_CHANGED : errno;
    if (!(flags & O_NONBLOCK) && fcntl(*fd, F_SETFL, flags & STATUS_FLAGS) < 0) {
        int error = errno;
        close(*fd);
        return error;
    }
    return 0;
}

/* /dev/tty: the caller's terminal, not the guard's. */
static int open_terminal(struct guard_request *request, int flags, int *fd)
{
    char path[64];
    struct stat st;
    int number = guard_request_terminal(request);
    if (number < 0)
        return ENXIO;
    snprintf(path, sizeof path, "/dev/pts/%d", number);
    *fd = guard_open_now(0, AT_FDCWD, path, flags & ~(O_CREAT | O_EXCL | O_TRUNC), 0);
    if (*fd < 0)
        return ENXIO;
    if (fstat(*fd, &st) == 0 && st.st_rdev == makedev(TERMINAL_MAJOR, (unsigned)number))
        return 0;
    close(*fd);
    return ENXIO;
}

/* Devices, FIFOs, sockets. */
static int open_special(struct guard_request *request, const struct stat *st, int folder,
                        const char *name, int itself, int *fd)
{
    int flags = request->flags & ~(O_CREAT | (itself ? 0 : O_NOFOLLOW));
    if (S_ISCHR(st->st_mode) && st->st_rdev == makedev(5, 0))
        return open_terminal(request, flags, fd);
    if (!S_ISCHR(st->st_mode) || major(st->st_rdev) != MEMORY_MAJOR)
        return guard_open_patiently(request, itself, folder, name, flags, fd);
    request->fleeting = 1;
    *fd = guard_open_now(itself, folder, name, flags, 0);
    return *fd < 0 ? errno : 0;
}

/* A file of /proc. Its caller's rights are enough; only the caller's own memory needs more. */
static int open_proc(struct guard_request *request, const struct guard_place *place, int *fd)
{
    enum guard_owner owner = guard_proc_owner(request, place->folder);
    int own_memory = owner == GUARD_OF_CALLER && !strcmp(place->name, "mem");
    int flags = request->flags;
    if (owner == GUARD_OF_GUARD)
        return EACCES;
    if (own_memory && !request->view.abroad)
        guard_rights_look(request->kind);
    *fd = guard_open_now(1, place->folder, place->name, flags, request->mode);
    int error = *fd < 0 ? errno : 0;
    if (own_memory && !request->view.abroad && guard_rights_act(request) < 0)
        _exit(1);
    return error;
}

/* As on a read-only mount: what is there may be opened, but not for writing. */
static int open_protected(const struct guard_request *request, const struct guard_place *place,
                          int *fd)
{
    struct stat st;
    int flags = request->flags;
    if (fstatat(place->folder, place->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT && (flags & O_CREAT) ? EROFS : errno;
    if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
        return EEXIST;
    if (S_ISDIR(st.st_mode))
        return EISDIR;
    if (writes(flags))
        return EROFS;
    *fd = guard_open_now(1, place->folder, place->name, flags & ~O_CREAT, 0);
    return *fd < 0 ? errno : 0;
}

static int open_existing(struct guard_request *request, const struct guard_place *place,
                         const struct stat *st, int *fd)
{
    int flags = request->flags;
    if (flags & O_CREAT) {
        if (flags & O_EXCL)
            return EEXIST;
        if (S_ISDIR(st->st_mode))
            return EISDIR;
        /* Root must not fall for another's file in /tmp (proc(5), protected_regular): its guard
         * asks the kernel. The user's spares itself the umask. */
        if (request->kind == GUARD_FOR_ROOT)
            umask(request->status.mask);
        else
            flags &= ~O_CREAT;
    }
    if (S_ISREG(st->st_mode) && st->st_nlink > 1 && writes(flags) &&
        guard_decide_is_protected(request, st))
        return EROFS;
    if (S_ISREG(st->st_mode) || S_ISDIR(st->st_mode) || S_ISLNK(st->st_mode)) {
        int error = open_plain(request, place, flags, fd);
        return error == ENOENT && (request->flags & O_CREAT) ? GUARD_CHANGED : error;
    }
    return open_special(request, st, place->folder, place->name, 1, fd);
}

/* A plain file where there was nothing. */
static int open_new(struct guard_request *request, const struct guard_place *place, int *fd)
{
    int flags = request->flags, error = guard_request_know(request);
    if (error)
        return error;
    umask(request->status.mask);
    *fd = guard_open_now(1, place->folder, place->name, flags | O_EXCL, request->mode);
    if (*fd >= 0)
        return 0;
    return errno == EEXIST && !(flags & O_EXCL) ? GUARD_CHANGED : errno;
}

static int open_place(struct guard_request *request, const struct guard_place *place, int *fd)
{
    struct stat st;
    int flags = request->flags;
    if ((flags & O_CREAT) && guard_place_is_folder(place))
        return EISDIR;
    if (guard_decide(request, place) != GUARD_FREE)
        return open_protected(request, place, fd);
    if (place->in_proc)
        return open_proc(request, place, fd);
    if (fstatat(place->folder, place->name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        return open_existing(request, place, &st, fd);
    return errno == ENOENT && (flags & O_CREAT) ? open_new(request, place, fd) : errno;
}

/* What a descriptor leads to, opened anew. */
static int open_object(struct guard_request *request, const struct guard_place *place, int *fd)
{
    struct stat st;
    char name[32];
    int flags = request->flags & ~(O_CREAT | O_NOFOLLOW);
    if (fstat(place->object, &st) < 0 || guard_proc_is(place->object))
        return EACCES;
    if ((request->flags & O_CREAT) && S_ISDIR(st.st_mode))
        return EISDIR;
    if (writes(flags) && S_ISREG(st.st_mode) &&
        (guard_decide(request, place) != GUARD_FREE ||
         (st.st_nlink > 1 && guard_decide_is_protected(request, &st))))
        return EROFS;
    snprintf(name, sizeof name, "%d", place->object);
    if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return open_special(request, &st, guard_proc_own(), name, 0, fd);
    *fd = guard_open_now(0, guard_proc_own(), name, flags, 0);
    return *fd < 0 ? errno : 0;
}

/* linkat(2) is what may give it a name. */
int guard_open_unnamed(struct guard_request *request, int folder, int *fd)
{
    int error =
        guard_decide_folder(request, folder) == GUARD_WITHIN ? EROFS : guard_request_know(request);
    if (error)
        return error;
    umask(request->status.mask);
    *fd = guard_open_now(0, folder, ".", request->flags, request->mode);
    return *fd < 0 ? errno : 0;
}

static int open_unnamed(struct guard_request *request, int *fd)
{
    int folder = guard_resolve_folder(request, &request->made);
    if (folder < 0)
        return errno;
    int error = guard_open_unnamed(request, folder, fd);
    close(folder);
    return error;
}

int guard_open_place(struct guard_request *request, const struct guard_place *place, int *fd)
{
    return place->object >= 0 ? open_object(request, place, fd) : open_place(request, place, fd);
}

int guard_open(struct guard_request *request, int *fd)
{
    int flags = request->flags, error = GUARD_CHANGED;
    int follow = !(flags & O_NOFOLLOW) && (flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL);
    if ((flags & O_TMPFILE) == O_TMPFILE)
        return open_unnamed(request, fd);
    if ((flags & (O_CREAT | O_DIRECTORY)) == (O_CREAT | O_DIRECTORY))
        return EINVAL;
    for (int i = 0; i < TRIES && error == GUARD_CHANGED; i++) {
        struct guard_place place;
        error = guard_resolve(request, &request->made, follow, &place);
        if (error)
            break;
        error = guard_open_place(request, &place, fd);
        guard_place_release(&place);
    }
    return error == GUARD_CHANGED ? ELOOP : error;
}

static int truncate_place(struct guard_request *request, const struct guard_place *place)
{
    struct stat st;
    char name[32];
    int object = place->object >= 0;
    if (object ? fstat(place->object, &st) < 0
               : fstatat(place->folder, place->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno;
    if (!S_ISREG(st.st_mode))
        return S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
    if (object ? guard_proc_is(place->object) : place->in_proc)
        return EACCES;
    if (guard_decide(request, place) != GUARD_FREE ||
        (st.st_nlink > 1 && guard_decide_is_protected(request, &st)))
        return EROFS;
    snprintf(name, sizeof name, "%d", place->object);
    int fd = object ? guard_open_now(0, guard_proc_own(), name, O_WRONLY | O_NONBLOCK, 0)
                    : guard_open_now(1, place->folder, place->name, O_WRONLY | O_NONBLOCK, 0);
    int error = fd < 0 || ftruncate(fd, (off_t)request->number) < 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    return error;
}

int guard_truncate(struct guard_request *request)
{
    struct guard_place place;
    if ((int64_t)request->number < 0)
        return EINVAL;
    int error = guard_resolve(request, &request->made, 1, &place);
    if (error)
        return error;
    error = truncate_place(request, &place);
    guard_place_release(&place);
    return error;
}
