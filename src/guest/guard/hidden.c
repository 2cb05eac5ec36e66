#include "guest/guard/hidden.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest/guard/file_system.h"
#include "guest/guard/procfs.h"

#define MOUNTS_MAX 64 /* if there are more, all are looked at */

struct mounts {
    uint64_t ids[MOUNTS_MAX];
    int count, is_full;
};

static struct protected_names names;
static struct mounts covers; /* what lies on these is empty */
static struct mounts places; /* hidden files lie on these, when nothing covers them */

/* What is hidden now, by identity. */
static struct stat *files;
static int file_count;
static int is_blind; /* one could not be looked at */

static int has_mount(const struct mounts *self, uint64_t id)
{
    for (int i = 0; i < self->count; i++) {
        if (self->ids[i] == id)
            return 1;
    }
    return self->is_full;
}

static void note(struct mounts *self, uint64_t id)
{
    if (has_mount(self, id))
        return;
    if (self->count == MOUNTS_MAX)
        self->is_full = 1;
    else
        self->ids[self->count++] = id;
}

/* The mounts of all folders above PATH: the nearer ones may go away too. */
static void note_places(const char *path)
{
    char folder[PATH_MAX];
    uint64_t id;
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash; (slash = strrchr(folder, '/')) != NULL;) {
        *slash = '\0';
        if (guard_mount_id(AT_FDCWD, *folder ? folder : "/", &id) == 0)
            note(&places, id);
        else
            places.is_full = 1;
    }
}

static void note_cover(const char *path)
{
    char folder[PATH_MAX];
    uint64_t id, above;
    snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    if (covers.count < MOUNTS_MAX && guard_mount_id(AT_FDCWD, path, &id) == 0 &&
        guard_mount_id(AT_FDCWD, *folder ? folder : "/", &above) == 0 && id != above)
        note(&covers, id);
}

int guard_hidden_begin(const struct init_options *options)
{
    if (!options->hidden_count)
        return 0;
    files = calloc((size_t)options->hidden_count, sizeof *files);
    for (int i = 0; i < options->hidden_count; i++) {
        note_cover(options->hidden[i]);
        note_places(options->hidden[i]);
    }
    return files ? protected_names_compile(&names, options->hidden, options->hidden_count) : -1;
}

void guard_hidden_prepare(void)
{
    file_count = 0;
    is_blind = 0;
    for (int i = 0; i < names.count; i++) {
        if (stat(names.all[i].path, &files[file_count]) == 0)
            file_count++;
        else /* a box has closed a folder on the way (stands() in protection.c) */
            is_blind |= errno != ENOENT && errno != ENOTDIR;
    }
}

static int is_file(const struct stat *st)
{
    int found = is_blind;
    for (int i = 0; i < file_count && !found; i++)
        found = files[i].st_dev == st->st_dev && files[i].st_ino == st->st_ino;
    return found;
}

/* The path of FD, which is ST, up to its last slash; the rest is *NAME. 0, or -1: it has none now.
 */
static int path_and_name(int fd, const struct stat *st, char path[PATH_MAX], const char **name)
{
    struct stat named;
    if (guard_procfs_path(fd, path) < 0 || lstat(path, &named) < 0 || named.st_dev != st->st_dev ||
        named.st_ino != st->st_ino)
        return -1;
    char *slash = strrchr(path, '/');
    *slash = '\0';
    *name = slash + 1;
    return 0;
}

/* In a view of the caller's own. */
static enum guard_sight look_abroad(int fd, const struct stat *st)
{
    char path[PATH_MAX];
    const char *name;
    int folder;
    if (is_file(st))
        return GUARD_HIDES;
    if (S_ISDIR(st->st_mode))
        folder = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    else if (path_and_name(fd, st, path, &name) < 0)
        return GUARD_NAMELESS;
    else
        folder = open(*path ? path : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return guard_folder_is_within(folder, is_file) ? GUARD_HIDES : GUARD_SHOWS;
}

enum guard_sight guard_hidden_look(const struct guard_request *request, int fd)
{
    uint64_t mount;
    struct stat st;
    char path[PATH_MAX];
    const char *name;
    if (!names.count)
        return GUARD_SHOWS;
    if (fstat(fd, &st) < 0)
        return GUARD_HIDES;
    if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) /* it holds nothing */
        return GUARD_SHOWS;
    if (request->view.abroad)
        return look_abroad(fd, &st);
    if (guard_mount_id(fd, "", &mount) == 0 &&
        (has_mount(&covers, mount) || !has_mount(&places, mount)))
        return GUARD_SHOWS;
    if (path_and_name(fd, &st, path, &name) < 0)
        return GUARD_NAMELESS;
    if (!*name) /* the root */
        return GUARD_SHOWS;
    return protected_names_relate(&names, *path ? path : "/", name, strlen(name)) == GUARD_WITHIN
               ? GUARD_HIDES
               : GUARD_SHOWS;
}
