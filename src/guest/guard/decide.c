#include "guest/guard/decide.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest/guard/fold.h"
#include "guest/guard/proc.h"

/* A name that counts: a protected path, or a folder on the way to one. */
struct known {
    const char *path; /* only its first LENGTH bytes */
    size_t length;
    int is_protected;
    int folder_stands, stands; /* the identities below are known */
    struct stat folder, itself;
};

#define KNOWN_MAX (2 * RESERVED_NAMES_MAX)
#define CLIMB_MAX 4096

static struct known known[KNOWN_MAX];
static int known_count;

static size_t base_of(const char *path, size_t length)
{
    while (length && path[length - 1] != '/')
        length--;
    return length;
}

static void copy(char text[PATH_MAX], const char *path, size_t length)
{
    snprintf(text, PATH_MAX, "%.*s", (int)length, path);
}

static void look_at(struct known *self)
{
    char path[PATH_MAX];
    size_t base = base_of(self->path, self->length);
    copy(path, self->path, self->length);
    self->stands = stat(path, &self->itself) == 0;
    copy(path, self->path, base);
    self->folder_stands = stat(path, &self->folder) == 0;
}

static void note(const char *path, size_t length, int is_protected)
{
    for (int i = 0; i < known_count; i++) {
        if (known[i].length == length && !memcmp(known[i].path, path, length)) {
            known[i].is_protected |= is_protected;
            return;
        }
    }
    if (known_count < KNOWN_MAX)
        known[known_count++] = (struct known){path, length, is_protected, 0, 0, {0}, {0}};
}

void guard_decide_prepare(const struct guard_list *list)
{
    if (!known_count) {
        for (int i = 0; i < list->count; i++) {
            const char *path = list->paths[i];
            note(path, strlen(path), 1);
            for (size_t end = base_of(path, strlen(path)); end > 1; end = base_of(path, end - 1))
                note(path, end - 1, 0);
        }
    }
    for (int i = 0; i < known_count; i++)
        look_at(&known[i]);
}

static int same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int is_protected_inode(const struct stat *st)
{
    for (int i = 0; i < known_count; i++) {
        if (known[i].is_protected && known[i].stands && same(&known[i].itself, st))
            return 1;
    }
    return 0;
}

/* 1 when FOLDER is protected or lies in what is, or when nobody can tell. */
static int lies_within(int folder)
{
    int fd = openat(folder, ".", O_PATH | O_DIRECTORY | O_CLOEXEC), found = -1;
    struct stat st, before = {0};
    for (int i = 0; i < CLIMB_MAX && found < 0 && fd >= 0 && fstat(fd, &st) == 0; i++) {
        if (is_protected_inode(&st))
            found = 1;
        else if (i && same(&st, &before))
            found = 0; /* the root is its own parent */
        before = st;
        int up = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
        close(fd);
        fd = up;
    }
    if (fd >= 0)
        close(fd);
    return found != 0;
}

static enum guard_relation by_identity(int folder, const char *name, size_t length)
{
    enum guard_relation found = GUARD_FREE;
    struct stat st;
    if (fstat(folder, &st) < 0 || lies_within(folder))
        return GUARD_WITHIN;
    for (int i = 0; i < known_count && found != GUARD_WITHIN; i++) {
        const struct known *one = &known[i];
        char base[PATH_MAX];
        size_t from = base_of(one->path, one->length);
        copy(base, one->path + from, one->length - from);
        if (!one->folder_stands || !same(&one->folder, &st) || !guard_is_named(name, length, base))
            continue;
        if (one->is_protected)
            found = GUARD_WITHIN;
        else if (guard_fold_same(name, length, base, strlen(base)))
            found = GUARD_ABOVE;
    }
    return found;
}

/* Where the O_PATH descriptor FD leads. 0, or -1 when there is no telling. */
static int real_path(int fd, char path[PATH_MAX])
{
    char name[32];
    snprintf(name, sizeof name, "%d", fd);
    ssize_t n = readlinkat(guard_proc_own(), name, path, PATH_MAX - 1);
    path[n < 0 ? 0 : n] = '\0';
    return path[0] == '/' ? 0 : -1;
}

static enum guard_relation decide(struct guard_request *request, int folder, const char *name,
                                  size_t length)
{
    char path[PATH_MAX];
    if (request->view.abroad)
        return by_identity(folder, name, length);
    if (real_path(folder, path) == 0) {
        enum guard_relation relation = guard_relate(&request->list, path, name, length);
        if (relation != GUARD_FREE || !guard_resembles(&request->list, path, name, length))
            return relation;
    }
    guard_decide_prepare(&request->list);
    return by_identity(folder, name, length);
}

int guard_decide_is_protected(struct guard_request *request, const struct stat *st)
{
    if (!request->view.abroad)
        guard_decide_prepare(&request->list);
    return is_protected_inode(st);
}

/* What a descriptor leads to has a name as well, unless it is a pipe, a socket and the like. */
static enum guard_relation decide_object(struct guard_request *request, int object)
{
    char path[PATH_MAX];
    struct stat st, named;
    if (fstat(object, &st) < 0)
        return GUARD_WITHIN;
    if (real_path(object, path) < 0 || (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
        return GUARD_FREE;
    char *name = strrchr(path, '/') + 1, folder[PATH_MAX];
    copy(folder, path, name - path > 1 ? (size_t)(name - path) - 1 : 1);
    int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    enum guard_relation found = GUARD_FREE;
    if (fd >= 0 && fstatat(fd, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && same(&st, &named))
        found = decide(request, fd, name, strlen(name));
    else if (st.st_nlink && S_ISREG(st.st_mode) && /* its name is not where it can be seen */
             (request->view.abroad || guard_decide_is_protected(request, &st)))
        found = GUARD_WITHIN;
    if (fd >= 0)
        close(fd);
    return found;
}

enum guard_relation guard_decide(struct guard_request *request, const struct guard_place *place)
{
    if (place->object >= 0)
        return decide_object(request, place->object);
    if (place->length <= 2 && !strncmp(place->name, "..", place->length))
        return GUARD_FREE; /* "." and "..": nothing is made */
    return decide(request, place->folder, place->name, place->length);
}

enum guard_relation guard_decide_folder(struct guard_request *request, int folder)
{
    return decide(request, folder, "?", 1);
}
