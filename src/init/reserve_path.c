/* Whether a name is reserved. Looks through /proc at what the asking process means by a path. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/reserve.h"

/* More links in a row than any program needs to make a file. */
#define LINKS_MAX 8

/* A path as seen from here: where the process is, and what it said. */
struct seen {
    char text[PATH_MAX + 64];
    char *base; /* the last part, in text */
};

static void strip_slashes(char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        path[--length] = '\0';
}

/* -1 when it gets too long. */
static int see(struct seen *self, int pid, int dirfd, const char *path)
{
    int n;
    if (path[0] == '/')
        n = snprintf(self->text, sizeof self->text, "/proc/%d/root%s", pid, path);
    else if (dirfd == AT_FDCWD)
        n = snprintf(self->text, sizeof self->text, "/proc/%d/cwd/%s", pid, path);
    else
        n = snprintf(self->text, sizeof self->text, "/proc/%d/fd/%d/%s", pid, dirfd, path);
    if (n < 0 || (size_t)n >= sizeof self->text)
        return -1;
    strip_slashes(self->text);
    self->base = strrchr(self->text, '/') + 1;
    return 0;
}

static int same_folder(const struct seen *self, const char *folder)
{
    struct stat theirs, ours;
    char parent[sizeof self->text];
    size_t length = (size_t)(self->base - self->text);
    memcpy(parent, self->text, length);
    parent[length] = '\0'; /* with its slash: a link to a folder is followed */
    if (stat(folder, &ours) < 0)
        return 0;
    if (stat(parent, &theirs) < 0)
        return errno != ENOENT && errno != ENOTDIR; /* cannot be seen: fail closed */
    return theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino;
}

static int is_reserved(const struct init_options *options, const struct seen *name)
{
    for (int i = 0; i < options->reserved_count; i++) {
        const char *slash = strrchr(options->reserved[i], '/');
        char folder[PATH_MAX];
        if (strcmp(slash + 1, name->base) != 0)
            continue;
        size_t length = (size_t)(slash - options->reserved[i]);
        if (length >= sizeof folder)
            return 1;
        memcpy(folder, options->reserved[i], length);
        folder[length] = '\0';
        if (same_folder(name, folder))
            return 1;
    }
    return 0;
}

/* Replaces the last part of SELF by what the link there points to. 0: it is no link. -1: too long.
 */
static int follow_link(struct seen *self, int pid)
{
    char target[PATH_MAX], next[sizeof self->text];
    ssize_t n = readlink(self->text, target, sizeof target - 1);
    if (n < 0)
        return 0;
    target[n] = '\0';
    if (target[0] == '/')
        return see(self, pid, AT_FDCWD, target) < 0 ? -1 : 1;
    size_t length = (size_t)(self->base - self->text);
    memcpy(next, self->text, length);
    if (length + (size_t)n >= sizeof next)
        return -1;
    memcpy(next + length, target, (size_t)n + 1);
    memcpy(self->text, next, length + (size_t)n + 1);
    strip_slashes(self->text);
    self->base = strrchr(self->text, '/') + 1;
    return 1;
}

int reserve_refuses(const struct init_options *options, int pid, int dirfd, const char *path,
                    int follow)
{
    struct seen name;
    if (!path[0])
        return 0; /* ENOENT by itself */
    if (see(&name, pid, dirfd, path) < 0)
        return 1;
    for (int links = 0; links < LINKS_MAX; links++) {
        if (is_reserved(options, &name))
            return 1;
        int followed = follow ? follow_link(&name, pid) : 0;
        if (followed <= 0)
            return followed < 0;
    }
    return 1;
}
