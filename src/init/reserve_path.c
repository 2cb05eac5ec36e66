/* Whether a name is reserved. Looks through /proc at what the asking process means by a path. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "init/reserve.h"

/* More links in a row than any program needs to make a file. */
#define LINKS_MAX 8

/* The folder of each reserved name, by number: a box may rename the folders above its project. */
static struct {
    dev_t dev;
    ino_t ino;
} folders[RESERVE_MAX];

void reserve_remember(const struct init_options *options)
{
    for (int i = 0; i < options->reserved_count; i++) {
        char folder[PATH_MAX];
        struct stat st;
        int length = (int)(strrchr(options->reserved[i], '/') - options->reserved[i]);
        snprintf(folder, sizeof folder, "%.*s/", length, options->reserved[i]);
        if (stat(folder, &st) < 0)
            continue; /* a device and inode 0 are no folder's: nothing can be made there */
        folders[i].dev = st.st_dev;
        folders[i].ino = st.st_ino;
    }
}

/* A name as the process means it: the folder that holds it, opened, and its last part. */
struct seen {
    int folder;
    char path[PATH_MAX]; /* as said, without slashes at its end */
    const char *base;    /* in path */
};

enum sight { SEEN, NOT_THERE, HIDDEN, UNKNOWN };

static int open_of(int pid, const char *what)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, what);
    return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int open_start(int pid, int dirfd, int absolute)
{
    char descriptor[32];
    snprintf(descriptor, sizeof descriptor, "fd/%d", dirfd);
    return open_of(pid, absolute ? "root" : dirfd == AT_FDCWD ? "cwd" : descriptor);
}

/* Root of the box may have another root folder than we. */
static int has_other_root(int pid)
{
    struct stat ours, theirs;
    int root = open_of(pid, "root");
    int other = root < 0 || fstat(root, &theirs) < 0 || stat("/", &ours) < 0 ||
                ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino;
    if (root >= 0)
        close(root);
    return other;
}

/*
 * How links on the way are to be taken. Behind a magic link (/proc/self/cwd, /dev/fd/3) we would
 * find what is ours, not the caller's; and where a link to "/x" leads, only RESOLVE_IN_ROOT can
 * tell when roots differ. ELOOP then.
 */
static uint64_t manner(int pid, int absolute)
{
    return RESOLVE_NO_MAGICLINKS | (absolute              ? RESOLVE_IN_ROOT
                                    : has_other_root(pid) ? RESOLVE_NO_SYMLINKS
                                                          : 0);
}

/* Opens PARENT below START (closed). */
static int open_below(int start, const char *parent, uint64_t resolve)
{
    struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = resolve};
    if (!*parent || start < 0)
        return start;
    int fd = (int)syscall(SYS_openat2, start, parent, &how, sizeof how);
    int saved = errno;
    close(start);
    errno = saved;
    return fd;
}

/* SELF->path holds the path already, relative to START (closed). SEEN: the caller closes the
 * folder. */
static enum sight see(struct seen *self, int pid, int start)
{
    int absolute = self->path[0] == '/';
    size_t length = strlen(self->path);
    while (length > 1 && self->path[length - 1] == '/')
        self->path[--length] = '\0';
    const char *slash = strrchr(self->path, '/');
    self->base = slash ? slash + 1 : self->path;

    char parent[PATH_MAX];
    size_t skip = strspn(self->path, "/"), end = (size_t)(self->base - self->path);
    snprintf(parent, sizeof parent, "%.*s", end > skip ? (int)(end - skip) : 0, self->path + skip);
    self->folder = open_below(start, parent, *parent ? manner(pid, absolute) : 0);
    if (self->folder >= 0)
        return SEEN;
    if (errno == EACCES)
        return HIDDEN; /* a folder of root's: no part of a project, unless root links to one */
    return errno == ENOENT || errno == ENOTDIR ? NOT_THERE : UNKNOWN;
}

static int is_reserved(const struct init_options *options, const struct seen *name,
                       enum sight sight)
{
    struct stat st;
    for (int i = 0; i < options->reserved_count; i++) {
        const char *reserved = strrchr(options->reserved[i], '/') + 1;
        if (strcmp(reserved, name->base) != 0)
            continue;
        if (sight != SEEN || fstat(name->folder, &st) < 0 ||
            (st.st_dev == folders[i].dev && st.st_ino == folders[i].ino))
            return 1;
    }
    return 0;
}

/* Puts what the link at SELF's end points to in place of its path. 0: it is no link. */
static int follow_link(struct seen *self)
{
    char target[PATH_MAX];
    ssize_t n = readlinkat(self->folder, self->base, target, sizeof target - 1);
    if (n < 0)
        return 0;
    memcpy(self->path, target, (size_t)n);
    self->path[n] = '\0';
    return 1;
}

/* Goes on behind a link that stood in SELF->folder. */
static enum sight see_target(struct seen *self, int pid)
{
    int start = self->folder;
    if (self->path[0] == '/') {
        close(start);
        start = open_start(pid, AT_FDCWD, 1);
    }
    return see(self, pid, start);
}

int reserve_refuses(const struct init_options *options, int pid, int dirfd, const char *path,
                    int follow)
{
    struct seen name;
    if (!path[0])
        return 0; /* ENOENT by itself */
    snprintf(name.path, sizeof name.path, "%s", path);
    enum sight sight = see(&name, pid, open_start(pid, dirfd, path[0] == '/'));
    for (int links = 0; sight == SEEN && links < LINKS_MAX; links++) {
        int reserved = is_reserved(options, &name, SEEN);
        if (reserved || !follow || !follow_link(&name)) {
            close(name.folder);
            return reserved;
        }
        sight = see_target(&name, pid);
    }
    if (sight == SEEN)
        close(name.folder);
    if (sight == HIDDEN)
        return is_reserved(options, &name, HIDDEN);
    /* A name without a folder is the kernel's to refuse; what we cannot see, ours. */
    return sight != NOT_THERE;
}
