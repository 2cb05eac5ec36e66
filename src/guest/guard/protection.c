#include "guest/guard/protection.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest/guard/file_system.h"
#include "guest/guard/git_roots.h"
#include "guest/guard/name_folding.h"
#include "guest/guard/procfs.h"

/* A name that counts: a protected path, or a folder on the way to one. */
struct known {
    const char *path; /* only its first LENGTH bytes */
    size_t length;
    int is_protected;
    int folder_stands, stands; /* the identities below are known */
    struct stat folder, itself;
};

/* How proc(5) ends the path of what has lost its name. */
#define DELETED " (deleted)"
#define LOOKS 8       /* at where a file is that is being moved */
#define MOUNTS_MAX 64 /* what lies on others is looked at more closely */

/* Looked at again for each call that needs them: the host may change them at any time. */
static struct known *known;
static int known_count, cannot_tell; /* 1: one could not be looked at */

static size_t base_of(const char *path, size_t length)
{
    while (length && path[length - 1] != '/')
        length--;
    return length;
}

static void copy_text(char text[PATH_MAX], const char *path, size_t length)
{
    snprintf(text, PATH_MAX, "%.*s", (int)length, path);
}

/* A box can close a folder to the guard that root of a namespace of its own may enter. */
static int stands(const char *path, size_t length, struct stat *st)
{
    char text[PATH_MAX];
    copy_text(text, path, length);
    if (stat(text, st) == 0)
        return 1;
    cannot_tell |= errno != ENOENT && errno != ENOTDIR;
    return 0;
}

static void look_at(struct known *self)
{
    self->stands = stands(self->path, self->length, &self->itself);
    self->folder_stands = stands(self->path, base_of(self->path, self->length), &self->folder);
}

/* Calls EACH with every folder on the way to PATH, LENGTH bytes, that is not the root. */
static void each_above(const char *path, size_t length, void (*each)(const char *, size_t))
{
    for (size_t end = length; end > 1; end = base_of(path, end) - 1)
        each(path, end);
}

static void note_folder(const char *path, size_t length)
{
    for (int i = 0; i < known_count; i++) {
        if (known[i].length == length && !memcmp(known[i].path, path, length))
            return;
    }
    known[known_count++] = (struct known){.path = path, .length = length};
}

static size_t parts_of(const struct protected_names *names)
{
    size_t count = (size_t)names->count;
    for (int i = 0; i < names->folder_count; i++) {
        for (size_t at = 0; at < names->folders[i].length; at++)
            count += names->folders[i].path[at] == '/';
    }
    return count;
}

void guard_protection_prepare(const struct protected_names *names)
{
    if (!known) {
        known = calloc(parts_of(names) + 1, sizeof *known);
        if (!known)
            _exit(1); /* to know nothing would let everything by */
        for (int i = 0; i < names->folder_count; i++)
            each_above(names->folders[i].path, names->folders[i].length, note_folder);
        for (int i = 0; i < names->count; i++)
            known[known_count++] = (struct known){.path = names->all[i].path,
                                                  .length = strlen(names->all[i].path),
                                                  .is_protected = 1};
    }
    cannot_tell = 0;
    for (int i = 0; i < known_count; i++)
        look_at(&known[i]);
}

/*
 * The mounts that protected names and the folders above them lie on. On these, no folder but the
 * one of that path can be the protected one. Sessions cannot mount anything, but in nested boxes.
 */
static struct {
    uint64_t ids[MOUNTS_MAX];
    int count;
} mounts;

static int is_known_mount(uint64_t id)
{
    for (int i = 0; i < mounts.count; i++) {
        if (mounts.ids[i] == id)
            return 1;
    }
    return 0;
}

static void note_mount(const char *path, size_t length)
{
    char text[PATH_MAX];
    uint64_t id;
    copy_text(text, path, length);
    if (guard_mount_id(AT_FDCWD, text, &id) == 0 && !is_known_mount(id) &&
        mounts.count < MOUNTS_MAX)
        mounts.ids[mounts.count++] = id;
}

void guard_protection_begin(const struct protected_names *names, const struct init_options *options)
{
    git_roots_begin(options);
    for (int i = 0; i < names->folder_count; i++)
        each_above(names->folders[i].path, names->folders[i].length, note_mount);
}

static int same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int is_protected_inode(const struct stat *st)
{
    int found = cannot_tell;
    for (int i = 0; i < known_count && !found; i++)
        found = known[i].is_protected && known[i].stands && same(&known[i].itself, st);
    return found;
}

/* 1 when FOLDER is protected or lies in what is, or when nobody can tell. */
static int lies_within(int folder)
{
    int fd = openat(folder, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return guard_folder_is_within(fd, is_protected_inode);
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
        copy_text(base, one->path + from, one->length - from);
        if (!one->folder_stands || !same(&one->folder, &st) ||
            !protected_names_match(name, length, base))
            continue;
        if (one->is_protected)
            found = GUARD_WITHIN;
        else if (name_is_same(name, length, base, strlen(base)))
            found = GUARD_ABOVE;
    }
    return found;
}

/* At a tenth of the price. */
int guard_folder_path(int folder, char path[PATH_MAX])
{
    if (fchdir(folder) == 0 && syscall(SYS_getcwd, path, PATH_MAX) > 0 && path[0] == '/')
        return 0;
    return guard_procfs_path(folder, path);
}

/* In a view of the caller's own. A box that may nest has no other limits there (guard.h). */
static enum git_role role_abroad(const struct guard_request *request, int folder, const char *name,
                                 size_t length)
{
    char path[PATH_MAX];
    if (!git_roots_may_hold(folder))
        return GIT_NONE;
    return request->options->nested && guard_folder_path(folder, path) == 0
               ? git_names_role(path, name, length)
               : git_names_strictest(name, length);
}

/* 1 also when nobody can tell: a box can close the folder above one that it has open. */
static int has(int folder, const char *name, int as_folder)
{
    struct stat st;
    return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? as_folder || !S_ISDIR(st.st_mode)
                                                                : errno != ENOENT;
}

static int is_hooks(const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    return name_is_same(name, strlen(name), "hooks", 5);
}

/* Of a name in a .git. A submodule called "refs" has objects, and its worktrees a commondir. */
static enum git_role role_in_git(int folder, const char *path, const char *name, size_t length)
{
    int in_hooks = is_hooks(path);
    enum git_role role = git_names_role_beside_head(in_hooks, name, length);
    return role != GIT_NONE && (has(folder, in_hooks ? "../objects" : "objects", 1) ||
                                has(folder, "commondir", 1))
               ? role
               : GIT_INSIDE;
}

/* Of a name outside of any .git: of a bare repository, or none. */
static enum git_role role_in_bare(int folder, const char *path, const char *name, size_t length)
{
    enum git_role role = git_names_role_beside_head(0, name, length);
    if (role != GIT_NONE && has(folder, "HEAD", 0))
        return role;
    return is_hooks(path) && has(folder, "../HEAD", 0) ? git_names_role_beside_head(1, name, length)
                                                       : GIT_NONE;
}

static enum git_role role_at(const struct guard_request *request, int folder, const char *path,
                             const char *name, size_t length)
{
    const struct init_options *options = request->options;
    const char *below = git_names_below(path, options->git_folders, options->git_folder_count);
    enum git_role role = below ? git_names_role(below, name, length) : GIT_NONE;
    if (below && role == GIT_NONE)
        return role_in_bare(folder, path, name, length);
    if (role == GIT_INSIDE)
        return role_in_git(folder, path, name, length);
    /* Many folders have a file "head". */
    return role == GIT_HEAD && (length != 4 || memcmp(name, "HEAD", 4) != 0) &&
                   guard_folder_has_case(folder)
               ? GIT_NONE
               : role;
}

/* protected_names_resemble(), of which the part of FOLDER mostly is the last call's. */
static int resembles(const struct protected_names *names, const char *folder, const char *name,
                     size_t length)
{
    static char last[PATH_MAX];
    static int found;
    if (strcmp(last, folder) != 0) {
        found = protected_names_resemble(names, folder, "", 0);
        copy_text(last, folder, strlen(folder));
    }
    return found || protected_names_resemble(names, "", name, length);
}

static struct guard_verdict decide(struct guard_request *request, int folder, const char *name,
                                   size_t length)
{
    char path[PATH_MAX];
    uint64_t mount;
    struct guard_verdict verdict = {.role = GIT_NONE};
    if (request->view.abroad) {
        verdict.role = role_abroad(request, folder, name, length);
    } else if (guard_folder_path(folder, path) == 0) {
        verdict.role = role_at(request, folder, path, name, length);
        verdict.relation = protected_names_relate(request->names, path, name, length);
        if (verdict.relation != GUARD_FREE || !resembles(request->names, path, name, length) ||
            (!request->options->nested && guard_mount_id(folder, "", &mount) == 0 &&
             is_known_mount(mount)))
            return verdict;
    } else {
        verdict.role = git_roots_hold(folder) ? git_names_strictest(name, length) : GIT_NONE;
    }
    if (!request->view.abroad)
        guard_protection_prepare(request->names);
    verdict.relation = by_identity(folder, name, length);
    return verdict;
}

int guard_protection_of_inode(struct guard_request *request, const struct stat *st)
{
    if (!request->view.abroad)
        guard_protection_prepare(request->names);
    return is_protected_inode(st);
}

int guard_protection_is_free(const struct guard_request *request, const char *folder,
                             const char *name)
{
    size_t length = strlen(name);
    return !request->options->nested && !request->view.abroad &&
           protected_names_relate(request->names, folder, name, length) == GUARD_FREE &&
           !resembles(request->names, folder, name, length) &&
           git_names_role(folder, name, length) == GIT_NONE &&
           git_names_role_beside_head(0, name, length) == GIT_NONE && !is_hooks(folder);
}

/* 1 when NAME in FOLDER, which a look ago was that of ST, still is: then *FOUND is its verdict. */
static int decide_by_name(struct guard_request *request, const char *folder, const char *name,
                          const struct stat *st, struct guard_verdict *found)
{
    struct stat named;
    int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int is_there =
        fd >= 0 && fstatat(fd, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && same(st, &named);
    if (is_there)
        *found = decide(request, fd, name, strlen(name));
    if (fd >= 0)
        close(fd);
    return is_there;
}

/*
 * What a descriptor leads to has a name as well, unless it is a pipe, a socket and the like. A box
 * may rename a folder above it all the time, and nobody can tell where it is then.
 */
static struct guard_verdict decide_object(struct guard_request *request, int object)
{
    char path[PATH_MAX], folder[PATH_MAX];
    struct stat st;
    struct guard_verdict found = {GUARD_WITHIN, GIT_NONE};
    int is_gone = 0;
    if (fstat(object, &st) < 0)
        return found;
    for (int looks = 0; looks < LOOKS && !is_gone; looks++) {
        found.relation = GUARD_FREE;
        if (guard_procfs_path(object, path) < 0 && path[0]) /* "pipe:[1]" */
            return found;
        if (!path[0]) /* it is too long */
            break;
        char *name = strrchr(path, '/') + 1;
        copy_text(folder, path, name - path > 1 ? (size_t)(name - path) - 1 : 1);
        is_gone = strstr(name, DELETED) != NULL;
        if ((st.st_nlink == 1 && !is_gone && guard_protection_is_free(request, folder, name)) ||
            decide_by_name(request, folder, name, &st, &found))
            return found;
    }
    if (st.st_nlink &&
        (S_ISSOCK(st.st_mode) ||
         (S_ISREG(st.st_mode) && /* its name is not where it can be seen */
          (!is_gone || request->view.abroad || guard_protection_of_inode(request, &st)))))
        found.relation = GUARD_WITHIN;
    return found;
}

int guard_protection_holds(struct guard_request *request, int folder)
{
    struct guard_verdict itself = decide_object(request, folder);
    return itself.relation != GUARD_FREE || itself.role != GIT_NONE ||
           decide(request, folder, "config", 6).role != GIT_NONE;
}

struct guard_verdict guard_protection_judge(struct guard_request *request,
                                            const struct guard_place *place)
{
    if (place->object >= 0)
        return decide_object(request, place->object);
    if (place->length <= 2 && !strncmp(place->name, "..", place->length))
        return (struct guard_verdict){GUARD_FREE, GIT_NONE}; /* "." and "..": nothing is made */
    return decide(request, place->folder, place->name, place->length);
}

enum guard_relation guard_protection_in_folder(struct guard_request *request, int folder)
{
    return decide(request, folder, "?", 1).relation;
}
