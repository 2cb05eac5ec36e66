#include "guest/guard/git_rename.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest/guard/file_system.h"
#include "guest/guard/git_config.h"
#include "guest/guard/procfs.h"

#define NAME_ROOM 64

static int result(long returned)
{
    return returned < 0 ? errno : 0;
}

/* A name of this worker's own: no other call of a box may touch it in a git folder. */
static void own_name(char name[NAME_ROOM])
{
    snprintf(name, NAME_ROOM, GIT_GUARD_PREFIX "-%d", (int)getpid());
}

static int link_descriptor(int fd, int folder, const char *name)
{
    char text[32];
    snprintf(text, sizeof text, "%d", fd);
    return linkat(guard_procfs_own(), text, folder, name, AT_SYMLINK_FOLLOW);
}

static int is_same_file(int folder, const char *name, const struct stat *st)
{
    struct stat now;
    return fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_dev == st->st_dev &&
           now.st_ino == st->st_ino;
}

static int rename_own(const struct guard_place *made, int flags)
{
    char own[NAME_ROOM];
    own_name(own);
    int error = result(renameat2(made->folder, own, made->folder, made->name, (unsigned)flags));
    if (error)
        unlinkat(made->folder, own, 0);
    return error;
}

/* Gives the file FD, which ST describes, the name MADE. */
static int place_file(int fd, const struct guard_place *made, int flags)
{
    char own[NAME_ROOM];
    own_name(own);
    unlinkat(made->folder, own, 0); /* of a worker that was killed */
    if (link_descriptor(fd, made->folder, own) < 0)
        return errno;
    return rename_own(made, flags);
}

/* The whole of the file FD, or NULL with an errno in *ERROR. */
static char *read_all(int fd, size_t *length, int *error)
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

/* What stands at MADE now; "" when there is nothing to compare with. */
static char *read_present(const struct guard_place *made, size_t *length)
{
    int error,
        fd = openat(made->folder, made->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char *text = NULL;
    *length = 0;
    if (fd >= 0)
        text = read_all(fd, length, &error);
    if (fd >= 0)
        close(fd);
    return text;
}

static int write_own(const struct guard_place *made, const char *text, size_t length, mode_t mode)
{
    char own[NAME_ROOM];
    own_name(own);
    unlinkat(made->folder, own, 0);
    int fd = openat(made->folder, own, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0)
        return errno;
    int error = 0;
    for (size_t done = 0; done < length && !error;) {
        ssize_t n = write(fd, text + done, length - done);
        error = n < 0 ? errno : 0;
        done += n > 0 ? (size_t)n : 0;
    }
    close(fd);
    if (error)
        unlinkat(made->folder, own, 0);
    return error;
}

/* A copy: the box may still have the file that it wrote open. */
static int place_config(int fd, const struct stat *st, const struct guard_place *made, int flags)
{
    size_t length, known_length;
    int error;
    char *text = read_all(fd, &length, &error);
    char *known = read_present(made, &known_length);
    if (!error &&
        !git_config_is_harmless(text, length, known ? known : "", known ? known_length : 0))
        error = EROFS;
    if (!error)
        error = write_own(made, text, length, st->st_mode & 0777);
    if (!error)
        error = rename_own(made, flags);
    free(text);
    free(known);
    return error;
}

/* O_PATH, unless it is to be READ. */
static int open_file(const struct guard_place *place, int read)
{
    if (place->object >= 0)
        return fcntl(place->object, F_DUPFD_CLOEXEC, 0);
    int flags = read ? O_RDONLY | O_NONBLOCK : O_PATH;
    int fd = openat(place->folder, place->name, flags | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ELOOP)
        errno = EROFS; /* a link */
    return fd;
}

static int place(int fd, const struct stat *st, const struct guard_place *old,
                 const struct guard_place *made, enum git_role role, int flags)
{
    if (!S_ISREG(st->st_mode))
        return EROFS;
    if (role == GIT_CONFIG)
        return place_config(fd, st, made, flags);
    int error = place_file(fd, made, flags);
    /* Where there are no hard links there are no symbolic ones to be swapped in. */
    if ((error == EPERM || error == EOPNOTSUPP) && !guard_folder_has_links(made->folder))
        error =
            result(renameat2(old->folder, old->name, made->folder, made->name, (unsigned)flags));
    return error;
}

int guard_git_rename(const struct guard_place *old, const struct guard_place *made,
                     enum git_role role, int flags)
{
    struct stat st;
    int is_config = role == GIT_CONFIG;
    if ((flags & ~RENAME_NOREPLACE) || (!is_config && git_names_refuse(role, GIT_PLACES_FILE)))
        return EROFS;
    int fd = open_file(old, is_config);
    if (fd < 0)
        return errno;
    int error = result(fstat(fd, &st));
    if (!error && is_same_file(made->folder, made->name, &st)) {
        error = flags & RENAME_NOREPLACE ? EEXIST : 0; /* two names of one file stay */
    } else if (!error) {
        error = place(fd, &st, old, made, role, flags);
        if (!error && is_same_file(old->folder, old->name, &st))
            error = result(unlinkat(old->folder, old->name, 0));
    }
    close(fd);
    return error;
}

int guard_git_link(const struct guard_place *old, enum git_role old_role,
                   const struct guard_place *made, enum git_role role)
{
    struct stat st;
    /* Under another name a configuration or hook could be written. */
    if (old_role == GIT_CONFIG || old_role == GIT_FORBIDDEN ||
        git_names_refuse(role, GIT_PLACES_FILE))
        return EROFS;
    int fd = open_file(old, 0);
    if (fd < 0)
        return errno;
    int error = result(fstat(fd, &st));
    if (!error)
        error = S_ISREG(st.st_mode) ? result(link_descriptor(fd, made->folder, made->name)) : EROFS;
    close(fd);
    return error;
}
