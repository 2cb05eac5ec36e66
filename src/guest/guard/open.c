#include "guest/guard/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "guest/guard/answer.h"
#include "guest/guard/caller.h"
#include "guest/guard/file_system.h"
#include "guest/guard/git_file.h"
#include "guest/guard/git_lockfile.h"
#include "guest/guard/gitfile.h"
#include "guest/guard/hidden.h"
#include "guest/guard/procfs.h"
#include "guest/guard/protection.h"
#include "guest/guard/rights.h"
#include "guest/guard/umask.h"

#define TRIES 16
#define MEMORY_MAJOR 1 /* null, zero, full, random … */
#define TERMINAL_MAJOR 136
#define MAY_RUN 0111
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
    /* As the kernel: a caller whose table is full has emptied nothing. */
    if ((flags & O_TRUNC) && (flags & O_ACCMODE) != O_RDONLY) {
        request->truncates = 1;
        flags &= ~O_TRUNC;
    }
    *fd = guard_open_now(1, place->folder, place->name, flags | O_NONBLOCK, request->mode);
    if (*fd < 0 && errno == EAGAIN && !(flags & O_NONBLOCK)) /* a lease is being given up */
        return guard_fifo_open(request, 1, place->folder, place->name, flags, fd);
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
    int number = guard_caller_terminal(request);
    if (number < 0)
        return ENXIO;
    snprintf(path, sizeof path, "/dev/pts/%d", number);
    *fd = guard_open_now(0, AT_FDCWD, path, flags & ~O_EXCL, 0);
    if (*fd < 0)
        return ENXIO;
    if (fstat(*fd, &st) == 0 && st.st_rdev == makedev(TERMINAL_MAJOR, (unsigned)number))
        return 0;
    close(*fd);
    return ENXIO;
}

/* Devices, FIFOs, sockets: none of them can be emptied. */
static int open_special(struct guard_request *request, const struct stat *st, int folder,
                        const char *name, int itself, int *fd)
{
    int flags = request->flags & ~(O_CREAT | O_TRUNC | (itself ? 0 : O_NOFOLLOW));
    if (S_ISCHR(st->st_mode) && st->st_rdev == makedev(5, 0))
        return open_terminal(request, flags, fd);
    if (!S_ISCHR(st->st_mode) || major(st->st_rdev) != MEMORY_MAJOR) {
        int error = guard_fifo_open(request, itself, folder, name, flags, fd);
        if (!error && S_ISCHR(st->st_mode))
            guard_controlling_terminal_give(request, fd);
        return error;
    }
    request->lingers = 1;
    *fd = guard_open_now(itself, folder, name, flags, 0);
    return *fd < 0 ? errno : 0;
}

/* A file of /proc. Its caller's rights are enough; only the caller's own memory needs more. */
static int open_proc(struct guard_request *request, const struct guard_place *place, int *fd)
{
    enum guard_owner owner = guard_procfs_owner(request, place->folder);
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
    if (S_ISDIR(st.st_mode) && (writes(flags) || (flags & O_CREAT)))
        return EISDIR;
    if (writes(flags))
        return EROFS;
    *fd = guard_open_now(1, place->folder, place->name, flags & ~O_CREAT, 0);
    return *fd < 0 ? errno : 0;
}

int guard_file_is_second_name(struct guard_request *request, int fd)
{
    struct stat st;
    return fstat(fd, &st) < 0 ||
           (S_ISREG(st.st_mode) && st.st_nlink > 1 && guard_protection_of_inode(request, &st));
}

/* Empties the file *FD, which is open for reading, and opens it anew. */
static int empty(struct guard_request *request, int flags, int *fd)
{
    char name[32];
    int opened;
    snprintf(name, sizeof name, "%d", *fd);
    int error = guard_fifo_open(request, 0, guard_procfs_own(), name, flags & ~O_NOFOLLOW, &opened);
    close(*fd);
    *fd = opened;
    return error;
}

int guard_file_is_kept(struct guard_request *request, const struct guard_place *place,
                       const struct stat *st)
{
    struct guard_verdict verdict = guard_protection_judge(request, place);
    return verdict.relation != GUARD_FREE || git_names_is_held(verdict.role) ||
           (st->st_nlink > 1 && guard_protection_of_inode(request, st));
}

/* What a descriptor leads to, opened anew. */
static int open_object(struct guard_request *request, const struct guard_place *place, int *fd)
{
    struct stat st;
    char name[32];
    int flags = request->flags & ~(O_CREAT | O_NOFOLLOW);
    if (fstat(place->object, &st) < 0)
        return EACCES;
    if (S_ISDIR(st.st_mode) && (writes(flags) || (request->flags & O_CREAT)))
        return EISDIR;
    if (guard_procfs_is(place->object))
        return EACCES;
    if (writes(flags) && S_ISREG(st.st_mode) && guard_file_is_kept(request, place, &st))
        return EROFS;
    snprintf(name, sizeof name, "%d", place->object);
    if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return open_special(request, &st, guard_procfs_own(), name, 0, fd);
    *fd = guard_open_now(0, guard_procfs_own(), name, flags, 0);
    return *fd < 0 ? errno : 0;
}

static int refuse_second_name(struct guard_request *request, int *fd)
{
    if (*fd < 0 || !guard_file_is_second_name(request, *fd))
        return 0;
    close(*fd);
    *fd = -1;
    return EROFS;
}

/* A file is emptied as it is opened, and looked at before. */
static int open_to_write(struct guard_request *request, const struct guard_place *place, int flags,
                         int *fd)
{
    int empties = (flags & O_TRUNC) && (flags & O_ACCMODE) == O_RDONLY;
    int error = open_plain(request, place, flags & ~(empties ? O_TRUNC : 0), fd);
    if (!error)
        error = refuse_second_name(request, fd);
    return error || !empties ? error : empty(request, flags & ~O_CREAT, fd);
}

/* Should a plain file have taken its place, that was not looked at. */
static int open_other(struct guard_request *request, const struct guard_place *place,
                      const struct stat *st, int *fd)
{
    struct stat opened;
    int error = open_special(request, st, place->folder, place->name, 1, fd);
    if (error || *fd < 0 || (fstat(*fd, &opened) == 0 && !S_ISREG(opened.st_mode)))
        return error;
    close(*fd);
    *fd = -1;
    return GUARD_CHANGED;
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
            guard_umask_take(request);
        else
            flags &= ~O_CREAT;
    }
    if (S_ISREG(st->st_mode) || S_ISDIR(st->st_mode) || S_ISLNK(st->st_mode)) {
        request->lingers = S_ISREG(st->st_mode) && !(st->st_mode & MAY_RUN);
        int error = writes(flags) ? open_to_write(request, place, flags, fd)
                                  : open_plain(request, place, flags, fd);
        return error == ENOENT && (request->flags & O_CREAT) ? GUARD_CHANGED : error;
    }
    return open_other(request, place, st, fd);
}

/* As the kernel: a caller whose table is full has made no file. In another view it is too late for
 * that when it shows. */
static int give_new(struct guard_request *request, const struct guard_place *place, int *fd)
{
    request->lingers = !(request->mode & MAY_RUN);
    if (request->view.abroad)
        return 0;
    int error = guard_answer_descriptor(request, *fd);
    *fd = -1;
    if (error)
        unlinkat(place->folder, place->name, 0);
    return error;
}

/* A plain file where there was nothing. */
static int open_new(struct guard_request *request, const struct guard_place *place, int *fd)
{
    int flags = request->flags, error = guard_umask_take(request);
    if (error)
        return error;
    request->mode = guard_set_id_drop(place->folder, request->mode);
    *fd = guard_open_now(1, place->folder, place->name, flags | O_EXCL, request->mode);
    if (*fd >= 0)
        return give_new(request, place, fd);
    return errno == EEXIST && !(flags & O_EXCL) ? GUARD_CHANGED : errno;
}

static int open_lockfile(struct guard_request *request, const struct guard_place *place, int *fd)
{
    int is_new, error = guard_git_lockfile_open(request, place, fd, &is_new);
    return is_new ? give_new(request, place, fd) : error;
}

/* A new configuration, which stays empty; one that exists is protected. */
static int open_config(struct guard_request *request, const struct guard_place *place, int *fd)
{
    struct stat st;
    int writes_new = (request->flags & O_CREAT) && (request->flags & O_ACCMODE) != O_RDONLY;
    if (!writes_new || request->view.abroad || request->kind == GUARD_FOR_ROOT ||
        !git_names_is_config(place->name) ||
        fstatat(place->folder, place->name, &st, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT)
        return open_protected(request, place, fd);
    int error = git_file_make_empty(request, place, fd);
    if (!error)
        return give_new(request, place, fd);
    return error == EEXIST && !(request->flags & O_EXCL) ? GUARD_CHANGED : error;
}

static int open_place(struct guard_request *request, const struct guard_place *place, int *fd)
{
    struct stat st;
    int flags = request->flags;
    if ((flags & O_CREAT) && guard_place_is_folder(place))
        return (flags & O_EXCL) && !place->name[place->length] ? EEXIST : EISDIR;
    struct guard_verdict verdict = guard_protection_judge(request, place);
    if (verdict.relation == GUARD_FREE && (writes(flags) || (flags & O_CREAT))) {
        if (verdict.role == GIT_LOCKFILE)
            return open_lockfile(request, place, fd);
        if (verdict.role == GIT_FOLDER || verdict.role == GIT_WORKTREE_FILE)
            return guard_gitfile_open(request, place, fd);
        if (verdict.role == GIT_CONFIG)
            return open_config(request, place, fd);
    }
    if (verdict.relation != GUARD_FREE || git_names_is_held(verdict.role))
        return open_protected(request, place, fd);
    if (place->in_proc)
        return open_proc(request, place, fd);
    if (verdict.role == GIT_HEAD && (flags & O_CREAT)) /* one that exists may be written */
        return fstatat(place->folder, place->name, &st, AT_SYMLINK_NOFOLLOW) < 0 || (flags & O_EXCL)
                   ? open_protected(request, place, fd)
                   : open_existing(request, place, &st, fd);
    if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
        return open_new(request, place, fd);
    if (place->is_known)
        return open_existing(request, place, &place->st, fd);
    if (fstatat(place->folder, place->name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        return open_existing(request, place, &st, fd);
    return errno == ENOENT && (flags & O_CREAT) ? open_new(request, place, fd) : errno;
}

/* linkat(2) is what may give it a name. */
int guard_open_unnamed(struct guard_request *request, int folder, int *fd)
{
    int error = guard_protection_in_folder(request, folder) == GUARD_WITHIN
                    ? EROFS
                    : guard_umask_take(request);
    if (error)
        return error;
    request->mode = guard_set_id_drop(folder, request->mode);
    *fd = guard_open_now(0, folder, ".", request->flags, request->mode);
    request->lingers = !(request->mode & MAY_RUN);
    return *fd < 0 ? errno : 0;
}

/* The folder of a file without a name, which with O_NOFOLLOW no link may lead to. */
static int find_folder(struct guard_request *request)
{
    struct guard_place place;
    if (!(request->flags & O_NOFOLLOW))
        return guard_lookup_folder(request, &request->made);
    errno = guard_lookup(request, &request->made, 0, &place);
    if (errno)
        return -1;
    int folder = openat(place.folder, place.name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int error = errno;
    guard_place_release(&place);
    errno = error;
    return folder;
}

static int open_unnamed(struct guard_request *request, int *fd)
{
    int folder = find_folder(request);
    if (folder < 0)
        return errno;
    int error = guard_open_unnamed(request, folder, fd);
    close(folder);
    return error;
}

int guard_open_place(struct guard_request *request, const struct guard_place *place, int *fd)
{
    int by_object = place->object >= 0;
    int error = by_object ? open_object(request, place, fd) : open_place(request, place, fd);
    enum guard_sight sight = error || *fd < 0 ? GUARD_SHOWS : guard_hidden_look(request, *fd);
    if (sight == GUARD_SHOWS)
        return error;
    close(*fd);
    *fd = -1;
    return sight == GUARD_NAMELESS && !by_object ? GUARD_CHANGED : EACCES;
}

int guard_open(struct guard_request *request, int *fd)
{
    int flags = request->flags, error = GUARD_CHANGED;
    int follow = !(flags & O_NOFOLLOW) && (flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL);
    if ((flags & O_TMPFILE) == O_TMPFILE)
        return open_unnamed(request, fd);
    if (guard_open_new_below(request, &error))
        return error;
    for (int i = 0; i < TRIES && error == GUARD_CHANGED; i++) {
        struct guard_place place;
        request->truncates = 0;
        error = guard_lookup(request, &request->made, follow, &place);
        if (error)
            break;
        error = guard_open_place(request, &place, fd);
        guard_place_release(&place);
    }
    return error == GUARD_CHANGED ? ELOOP : error;
}
