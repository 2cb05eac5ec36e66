#include "guest/guard/git_lockfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest/guard/git_file.h"
#include "guest/guard/git_names.h"
#include "guest/guard/shared_memory.h"

/* More than one repository's configuration is seldom written at a time. The oldest is given up: its
 * caller's rename fails. */
#define LOCKFILES_MAX 32

struct lockfile {
    int is_used;
    int named;   /* O_PATH: what has the name */
    int written; /* in memory: what the box writes */
};

/* All workers share their descriptors. */
static struct {
    pthread_mutex_t lock;
    struct lockfile all[LOCKFILES_MAX];
    unsigned oldest;
} * lockfiles;

int guard_git_lockfile_begin(void)
{
    lockfiles = shared_memory_new(sizeof *lockfiles);
    if (lockfiles)
        shared_memory_lock_init(&lockfiles->lock);
    return lockfiles ? 0 : -1;
}

static void forget_lockfile(struct lockfile *self)
{
    close(self->named);
    close(self->written);
    self->is_used = 0;
}

/* With the lock held: a free place, once what has lost its name is forgotten. */
static struct lockfile *take_lockfile(void)
{
    struct lockfile *found = NULL;
    for (int i = 0; i < LOCKFILES_MAX; i++) {
        struct lockfile *self = &lockfiles->all[i];
        struct stat st;
        if (self->is_used && fstat(self->named, &st) == 0 && st.st_nlink == 0)
            forget_lockfile(self);
        if (!self->is_used)
            found = self;
    }
    if (!found) {
        found = &lockfiles->all[lockfiles->oldest++ % LOCKFILES_MAX];
        forget_lockfile(found);
    }
    return found;
}

static void remember_written(int named, int written)
{
    pthread_mutex_lock(&lockfiles->lock);
    *take_lockfile() = (struct lockfile){1, named, written};
    pthread_mutex_unlock(&lockfiles->lock);
}

/* With the lock held. */
static const struct lockfile *find_lockfile(const struct stat *st)
{
    for (int i = 0; i < LOCKFILES_MAX; i++) {
        struct stat named;
        if (lockfiles->all[i].is_used && fstat(lockfiles->all[i].named, &named) == 0 &&
            named.st_dev == st->st_dev && named.st_ino == st->st_ino)
            return &lockfiles->all[i];
    }
    return NULL;
}

int guard_git_lockfile_written(const struct stat *st)
{
    pthread_mutex_lock(&lockfiles->lock);
    const struct lockfile *found = find_lockfile(st);
    int fd = found ? memory_file_open(found->written, O_RDONLY) : -1,
        saved = found ? errno : ENOENT;
    pthread_mutex_unlock(&lockfiles->lock);
    errno = saved;
    return fd;
}

static int open_known(const struct stat *st, int flags, int *fd)
{
    pthread_mutex_lock(&lockfiles->lock);
    const struct lockfile *found = find_lockfile(st);
    *fd = found ? memory_file_open(found->written, flags) : -1;
    int error = found ? errno : EROFS;
    pthread_mutex_unlock(&lockfiles->lock);
    return *fd < 0 ? error : 0;
}

/* Gives PLACE a copy of the configuration that it locks, for which *NAMED is O_PATH. */
static int make_named(struct guard_request *request, const struct guard_place *place, int *named)
{
    mode_t mode;
    char config[PATH_MAX];
    size_t length;
    snprintf(config, sizeof config, "%.*s", (int)(place->length - strlen(GIT_LOCK_ENDING)),
             place->name);
    int error = git_file_take_mode(request, &mode);
    if (error)
        return error;
    char *text = git_file_read_name(place->folder, config, &length);
    error = git_file_write(place, text ? text : "", text ? length : 0, mode, named);
    free(text);
    if (error)
        return error;
    error = git_file_rename(place, RENAME_NOREPLACE);
    if (error)
        close(*named);
    return error;
}

static int make_lockfile(struct guard_request *request, const struct guard_place *place, int *fd)
{
    int named = -1, written = memory_file_new();
    *fd = written < 0 ? -1 : memory_file_open(written, request->flags);
    int error = *fd < 0 ? errno : make_named(request, place, &named);
    if (!error) {
        remember_written(named, written);
        return 0;
    }
    if (*fd >= 0)
        close(*fd);
    if (written >= 0)
        close(written);
    *fd = -1;
    return error;
}

int guard_git_lockfile_open(struct guard_request *request, const struct guard_place *place, int *fd,
                            int *is_new)
{
    struct stat st;
    int flags = request->flags;
    *is_new = 0;
    if (request->view.abroad) /* its process has none of the others' descriptors */
        return EROFS;
    if (fstatat(place->folder, place->name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        return (flags & O_CREAT) && (flags & O_EXCL) ? EEXIST : open_known(&st, flags, fd);
    if (errno != ENOENT || !(flags & O_CREAT))
        return errno;
    int error = make_lockfile(request, place, fd);
    *is_new = !error;
    return error;
}
