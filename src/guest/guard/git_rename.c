#include "guest/guard/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest/guard/answer.h"
#include "guest/guard/file_system.h"
#include "guest/guard/git_config.h"
#include "guest/guard/git_file.h"
#include "guest/guard/git_lockfile.h"
#include "guest/guard/procfs.h"

static int link_descriptor(int fd, int folder, const char *name)
{
    char text[32];
    snprintf(text, sizeof text, "%d", fd);
    return linkat(guard_procfs_own(), text, folder, name, AT_SYMLINK_FOLLOW);
}

static void tell_refusal(const struct guard_request *request, const char *key)
{
    char text[GIT_CONFIG_KEY_ROOM + 160];
    snprintf(text, sizeof text,
             "the git configuration is not changed: '%s' is not one of the settings that a box may "
             "change; set it outside of the box",
             *key ? key : "a line that is malformed");
    guard_tell_caller(request, text);
}

static int is_same_file(int folder, const char *name, const struct stat *st)
{
    struct stat now;
    return fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_dev == st->st_dev &&
           now.st_ino == st->st_ino;
}

/* Gives the file FD the name MADE. */
static int place_file(int fd, const struct guard_place *made, int flags)
{
    int error = git_file_link(fd, made);
    return error ? error : git_file_rename(made, (unsigned)flags);
}

static int is_of_submodule(int folder)
{
    char path[PATH_MAX];
    return guard_folder_path(folder, path) == 0 && strstr(path, "/.git/modules/");
}

/* A copy: the box may still have the file that it wrote open. */
static int place_config(struct guard_request *request, int fd, const struct stat *st,
                        const struct guard_place *made, int flags)
{
    char key[GIT_CONFIG_KEY_ROOM];
    size_t length, known_length;
    int error;
    char *text = git_file_read(fd, &length, &error);
    char *known = git_file_read_name(made->folder, made->name, &known_length);
    if (!error && is_of_submodule(made->folder))
        git_config_drop_worktree(text, &length);
    if (!error &&
        !git_config_is_harmless(text, length, known ? known : "", known ? known_length : 0, key)) {
        tell_refusal(request, key);
        error = EROFS;
    }
    if (!error)
        error = git_file_write(made, text, length, st->st_mode & 0755, NULL);
    if (!error)
        error = git_file_rename(made, (unsigned)flags);
    free(text);
    free(known);
    return error;
}

/* O_PATH, unless it is to be READ. */
static int open_renamed(const struct guard_place *place, int read)
{
    if (place->object >= 0)
        return fcntl(place->object, F_DUPFD_CLOEXEC, 0);
    int flags = read ? O_RDONLY | O_NONBLOCK : O_PATH;
    int fd = openat(place->folder, place->name, flags | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ELOOP)
        errno = EROFS; /* a link */
    return fd;
}

static int place_or_replace(struct guard_request *request, int fd, const struct stat *st,
                            const struct guard_rename *names, int flags)
{
    if (!S_ISREG(st->st_mode))
        return EROFS;
    if (names->to_role == GIT_CONFIG)
        return place_config(request, fd, st, names->to, flags);
    int error = place_file(fd, names->to, flags);
    /* Where there are no hard links there are no symbolic ones to be swapped in. */
    if ((error == EPERM || error == EOPNOTSUPP) && !guard_folder_has_links(names->to->folder))
        error = call_error(renameat2(names->from->folder, names->from->name, names->to->folder,
                                     names->to->name, (unsigned)flags));
    return error;
}

/* What a box wrote to a lock file is not in that file. 0, or an errno. */
static int replace_by_written(int *fd, const struct stat *st)
{
    int written = guard_git_lockfile_written(st);
    if (written < 0)
        return EROFS;
    close(*fd);
    *fd = written;
    return 0;
}

static int rename_open(struct guard_request *request, int *fd, const struct guard_rename *names)
{
    const struct guard_place *from = names->from, *to = names->to;
    int flags = request->flags;
    struct stat st;
    if (fstat(*fd, &st) < 0)
        return errno;
    if (is_same_file(to->folder, to->name, &st)) /* two names of one file stay */
        return flags & RENAME_NOREPLACE ? EEXIST : 0;
    int is_lockfile = names->from_role == GIT_LOCKFILE && names->to_role == GIT_CONFIG;
    int error = is_lockfile ? replace_by_written(fd, &st) : 0;
    if (!error)
        error = place_or_replace(request, *fd, &st, names, flags);
    if (!error && is_same_file(from->folder, from->name, &st))
        error = call_error(unlinkat(from->folder, from->name, 0));
    return error;
}

int guard_git_rename(struct guard_request *request, const struct guard_rename *names)
{
    int is_config = names->to_role == GIT_CONFIG;
    if (names->from_role == GIT_CONFIG || (request->flags & ~RENAME_NOREPLACE) ||
        (!is_config && git_names_refuse(names->to_role, GIT_PLACES_FILE)))
        return EROFS;
    int fd = open_renamed(names->from, is_config);
    if (fd < 0)
        return errno;
    int error = rename_open(request, &fd, names);
    close(fd);
    return error;
}

int guard_git_link(const struct guard_place *old, enum git_role old_role,
                   const struct guard_place *made, enum git_role role)
{
    struct stat st;
    /* Under another name a configuration or hook could be written. */
    if (old_role == GIT_CONFIG || old_role == GIT_LOCKFILE || old_role == GIT_FORBIDDEN ||
        git_names_refuse(role, GIT_PLACES_FILE))
        return EROFS;
    int fd = open_renamed(old, 0);
    if (fd < 0)
        return errno;
    int error = call_error(fstat(fd, &st));
    if (!error)
        error =
            S_ISREG(st.st_mode) ? call_error(link_descriptor(fd, made->folder, made->name)) : EROFS;
    close(fd);
    return error;
}
