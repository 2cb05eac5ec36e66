#include "guest/guard/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "guest/guard/caller.h"
#include "guest/guard/rights.h"

#define PROC_ROOT 1   /* inode number of the root of any procfs */
#define LEVELS_MAX 16 /* deeper than any folder of a procfs */

static int own = -1;

int guard_procfs_begin(void)
{
    own = open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return own < 0 ? -1 : 0;
}

int guard_procfs_own(void)
{
    return own;
}

int guard_procfs_path(int fd, char path[PATH_MAX])
{
    char name[32];
    snprintf(name, sizeof name, "%d", fd);
    ssize_t n = readlinkat(own, name, path, PATH_MAX - 1);
    path[n < 0 ? 0 : n] = '\0';
    return path[0] == '/' ? 0 : -1;
}

int guard_procfs_is(int fd)
{
    struct statfs fs;
    return fstatfs(fd, &fs) < 0 || fs.f_type == PROC_SUPER_MAGIC;
}

/*
 * Opens NAME in FOLDER (O_PATH, and FLAGS), which may be root's or the user's alone: the folder fd/
 * of a process that is not dumpable is root's, that of another its user's, and no capability of
 * ours helps there. -1 with errno.
 */
static int open_in_proc(const struct init_options *options, int folder, const char *name, int flags)
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

int guard_procfs_open_of(const struct guard_request *request, const char *name, int flags)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", request->pid, name);
    return open_in_proc(request->options, AT_FDCWD, path, flags);
}

int guard_procfs_descriptor(const struct guard_request *request, int fd, int flags)
{
    char name[32];
    snprintf(name, sizeof name, "fd/%d", fd);
    int found = fd < 0 ? -1 : guard_procfs_open_of(request, name, flags);
    if (fd < 0 || (found < 0 && errno == ENOENT))
        errno = EBADF;
    return found;
}

static int same_inode(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The folder above. That of a process's descriptors may be its user's alone, or root's. */
static int above(const struct guard_request *request, int folder)
{
    /* Root's guard could not always go back to who its caller is. */
    if (request->kind == GUARD_FOR_ROOT || request->view.abroad)
        return openat(folder, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return open_in_proc(request->options, folder, "..", O_DIRECTORY);
}

/* Of every folder from FOLDER up to the root of its procfs. How many; *ROOT is open. -1: no root.
 */
static int climb(struct guard_request *request, int folder, struct stat levels[LEVELS_MAX],
                 int *root)
{
    int fd = fcntl(folder, F_DUPFD_CLOEXEC, 0);
    for (int count = 0; count < LEVELS_MAX && fd >= 0; count++) {
        if (fstat(fd, &levels[count]) < 0 || !guard_procfs_is(fd))
            break;
        if (levels[count].st_ino == PROC_ROOT) {
            *root = fd;
            return count;
        }
        int up = above(request, fd);
        close(fd);
        fd = up;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

static int holds(const struct stat *levels, int count, int root, const char *name)
{
    struct stat wanted;
    if (fstatat(root, name, &wanted, 0) < 0)
        return 0;
    for (int i = 0; i < count; i++) {
        if (same_inode(&levels[i], &wanted))
            return 1;
    }
    return 0;
}

/*
 * The caller's number in the procfs of ROOT. It is one of those that it has; where several are
 * processes there, the one whose status ends like the caller's. 0: none.
 */
static int number_in(struct guard_request *request, int root)
{
    const struct guard_status *status = &request->status;
    if (guard_caller_know(request) != 0)
        return 0;
    for (int level = 0; level < status->level_count; level++) {
        char name[32], text[8192];
        struct guard_status there;
        snprintf(name, sizeof name, "%d/status", status->pids[level]);
        int fd = openat(root, name, O_RDONLY | O_CLOEXEC);
        ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
        if (fd >= 0)
            close(fd);
        text[n < 0 ? 0 : n] = '\0';
        if (n > 0 && guard_status_parse(&there, text) == 0 &&
            there.level_count == status->level_count - level &&
            !memcmp(there.pids, status->pids + level, (size_t)there.level_count * sizeof(pid_t)))
            return status->pids[level];
    }
    return 0;
}

enum guard_owner guard_procfs_owner(struct guard_request *request, int folder)
{
    struct stat levels[LEVELS_MAX];
    int root, count = climb(request, folder, levels, &root);
    enum guard_owner owner = GUARD_OF_OTHERS;
    if (count < 0)
        return GUARD_OF_GUARD;
    if (holds(levels, count, root, "self/.")) {
        owner = GUARD_OF_GUARD;
    } else {
        char name[32];
        int number = number_in(request, root);
        snprintf(name, sizeof name, "%d", number);
        if (number && holds(levels, count, root, name))
            owner = GUARD_OF_CALLER;
    }
    close(root);
    return owner;
}

static int is_number(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits < 10 && !text[digits];
}

/* A link that leads to a thing and not to a path: cwd, root, exe, fd/N, ns/… */
static int follow_magic(struct guard_request *request, int folder, const char *name, int *object)
{
    enum guard_owner owner = guard_procfs_owner(request, folder);
    int saved;
    if (owner == GUARD_OF_GUARD)
        return EACCES;
    *object = openat(folder, name, O_PATH | O_CLOEXEC);
    if (*object >= 0 || errno != EACCES || owner != GUARD_OF_CALLER || request->view.abroad)
        return *object < 0 ? errno : 0;
    /* A process may always use its own, dumpable or not. */
    guard_rights_look(request->kind);
    if (is_number(name))
        *object = guard_procfs_descriptor(request, atoi(name), 0);
    else
        *object = openat(folder, name, O_PATH | O_CLOEXEC);
    saved = errno;
    if (guard_rights_act(request) < 0)
        _exit(1);
    return *object < 0 ? saved : 0;
}

static int follow_self(struct guard_request *request, int root, const char *name,
                       char text[PATH_MAX])
{
    int number = number_in(request, root);
    if (!number)
        return ENOENT;
    if (!strcmp(name, "self"))
        snprintf(text, PATH_MAX, "%d", number);
    else /* of threads, the guard knows the number at home alone */
        snprintf(text, PATH_MAX, "%d/task/%d", number,
                 request->view.abroad ? number : request->pid);
    return 0;
}

int guard_procfs_follow(struct guard_request *request, int folder, const char *name,
                        char text[PATH_MAX], int *object)
{
    struct open_how plain = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS};
    struct stat st;
    *object = -1;
    if (fstat(folder, &st) < 0)
        return errno;
    if (st.st_ino == PROC_ROOT && (!strcmp(name, "self") || !strcmp(name, "thread-self")))
        return follow_self(request, folder, name, text);
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
        int error = errno;
        return error == EACCES && is_number(name) ? follow_magic(request, folder, name, object)
                                                  : error;
    }
    if (!S_ISLNK(st.st_mode))
        return EINVAL;
    int fd = (int)syscall(SYS_openat2, folder, name, &plain, sizeof plain);
    if (fd < 0 && (errno == ELOOP || errno == EACCES))
        return follow_magic(request, folder, name, object);
    if (fd >= 0)
        close(fd);
    ssize_t n = readlinkat(folder, name, text, PATH_MAX - 1);
    if (n < 0)
        return errno;
    text[n] = '\0';
    return 0;
}
