#include "guest/guard/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest/guard/proc.h"

#define LINKS_MAX 40 /* as the kernel */

/* Of a walk by hand: where it is, and what is left of the path. */
struct walk {
    struct guard_request *request;
    int at; /* O_PATH, ours */
    int links;
    char rest[PATH_MAX];
};

static int open_root(void)
{
    return open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Puts TEXT before what is left. 0, or an errno. */
static int splice_text(struct walk *self, const char *text)
{
    char joined[2 * PATH_MAX];
    if (++self->links > LINKS_MAX)
        return ELOOP;
    if (!text[0])
        return ENOENT;
    int n = snprintf(joined, sizeof joined, "%s/%s", text, self->rest);
    if (n >= PATH_MAX)
        return ENAMETOOLONG;
    memcpy(self->rest, joined, (size_t)n + 1);
    if (text[0] == '/') {
        close(self->at);
        self->at = open_root();
    }
    return self->at < 0 ? errno : 0;
}

static void go(struct walk *self, int to)
{
    close(self->at);
    self->at = to;
}

/* The link NAME, found where the walk is. */
static int pass_link(struct walk *self, const char *name)
{
    char text[PATH_MAX];
    if (guard_proc_is(self->at)) {
        int object, error = guard_proc_follow(self->request, self->at, name, text, &object);
        if (!error && object >= 0)
            go(self, object);
        return error || object >= 0 ? error : splice_text(self, text);
    }
    ssize_t n = readlinkat(self->at, name, text, sizeof text - 1);
    if (n < 0)
        return errno;
    text[n] = '\0';
    return splice_text(self, text);
}

static int step(struct walk *self, const char *name)
{
    struct stat st;
    int next = openat(self->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (next < 0 && errno == EACCES && guard_proc_is(self->at))
        return pass_link(self, name);
    if (next < 0)
        return errno;
    if (fstat(next, &st) == 0 && S_ISLNK(st.st_mode)) {
        close(next);
        return pass_link(self, name);
    }
    go(self, next);
    return 0;
}

/* PATH from BASE one part at a time, where the kernel's own walk would take the guard for the
 * caller. */
static int walk_to(struct guard_request *request, int base, const char *path)
{
    struct walk self = {request, base < 0 ? open_root() : openat(base, ".", O_PATH | O_CLOEXEC), 0};
    struct stat st;
    int error = self.at < 0 ? errno : 0;
    snprintf(self.rest, sizeof self.rest, "%s", path);
    while (!error) {
        char name[PATH_MAX];
        size_t skip = strspn(self.rest, "/"), length = strcspn(self.rest + skip, "/");
        if (!length)
            break;
        memcpy(name, self.rest + skip, length);
        name[length] = '\0';
        memmove(self.rest, self.rest + skip + length, strlen(self.rest + skip + length) + 1);
        error = step(&self, name);
    }
    if (!error && (fstat(self.at, &st) < 0 || !S_ISDIR(st.st_mode)))
        error = ENOTDIR;
    if (error && self.at >= 0)
        close(self.at);
    errno = error;
    return error ? -1 : self.at;
}

/* BASE: AT_FDCWD for an absolute PATH. */
static int open_folder(struct guard_request *request, int base, const char *path, int *in_proc)
{
    struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
                           .resolve = RESOLVE_NO_MAGICLINKS};
    int fd = (int)syscall(SYS_openat2, base, *path ? path : ".", &how, sizeof how);
    *in_proc = fd >= 0 && guard_proc_is(fd);
    if (fd >= 0 && !*in_proc)
        return fd;
    if (fd >= 0)
        close(fd);
    else if (errno != ELOOP && errno != EACCES && errno != ENOENT)
        return -1;
    fd = walk_to(request, base, path);
    *in_proc = fd >= 0 && guard_proc_is(fd);
    return fd;
}

int guard_resolve_folder(struct guard_request *request, const struct guard_path *path)
{
    int in_proc;
    if (!path->text[0]) {
        errno = ENOENT;
        return -1;
    }
    return open_folder(request, path->base, path->text, &in_proc);
}

size_t guard_last_part(const char *text)
{
    size_t end = strlen(text);
    while (end && text[end - 1] == '/')
        end--;
    while (end && text[end - 1] != '/')
        end--;
    return end;
}

static int find(struct guard_request *request, int base, const char *text,
                struct guard_place *place)
{
    char way[PATH_MAX];
    size_t length = guard_last_part(text);
    memcpy(way, text, length);
    way[length] = '\0';
    snprintf(place->name, sizeof place->name, "%s", text + length);
    if (text[length] == '/') { /* nothing but slashes */
        strcpy(way, "/");
        strcpy(place->name, ".");
    }
    place->length = strcspn(place->name, "/");
    place->object = -1;
    place->folder = open_folder(request, text[0] == '/' ? AT_FDCWD : base, way, &place->in_proc);
    return place->folder < 0 ? errno : 0;
}

/* As the kernel does where links in /tmp are protected (proc(5)): root must not fall for them. */
static int may_follow(struct guard_request *request, const struct stat *link, int folder)
{
    struct stat st;
    uid_t uid =
        request->kind == GUARD_FOR_ROOT ? request->status.fsuid : (uid_t)setfsuid((uid_t)-1);
    if (fstat(folder, &st) < 0)
        return 0;
    if ((st.st_mode & (S_ISVTX | S_IWOTH)) != (S_ISVTX | S_IWOTH))
        return 1;
    return link->st_uid == uid || link->st_uid == st.st_uid;
}

/* 0 with TEXT or an object in PLACE; EINVAL: no link; or another errno. */
static int read_link(struct guard_request *request, struct guard_place *place, char text[PATH_MAX])
{
    char name[PATH_MAX];
    struct stat st;
    memcpy(name, place->name, place->length);
    name[place->length] = '\0';
    if (place->in_proc)
        return guard_proc_follow(request, place->folder, name, text, &place->object);
    if (fstatat(place->folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISLNK(st.st_mode))
        return EINVAL;
    if (!may_follow(request, &st, place->folder))
        return EACCES;
    ssize_t n = readlinkat(place->folder, name, text, PATH_MAX - 1);
    if (n < 0)
        return EINVAL;
    text[n] = '\0';
    /* Slashes behind a link go with what it leads to. */
    if (place->name[place->length] && (size_t)n + 1 < PATH_MAX)
        strcpy(text + n, "/");
    return n ? 0 : ENOENT;
}

int guard_resolve(struct guard_request *request, const struct guard_path *path, int follow,
                  struct guard_place *place)
{
    char text[PATH_MAX];
    if (!path->text[0])
        return ENOENT;
    int error = find(request, path->base, path->text, place);
    for (int links = 0; !error && follow; links++) {
        error = read_link(request, place, text);
        if (!error && links == LINKS_MAX)
            error = ELOOP;
        if (error == EINVAL || (error == ENOENT && place->in_proc))
            return 0; /* no link; that nothing is there shows later */
        int from = place->folder;
        if (error && place->object >= 0)
            close(place->object);
        if (!error && place->object >= 0)
            place->folder = -1;
        else if (!error)
            error = find(request, from, text, place);
        close(from);
        if (!error && place->object >= 0)
            return 0;
    }
    return error;
}

void guard_place_release(struct guard_place *place)
{
    if (place->folder >= 0)
        close(place->folder);
    if (place->object >= 0)
        close(place->object);
}

int guard_place_is_folder(const struct guard_place *place)
{
    return place->name[place->length] == '/' || (place->length == 1 && place->name[0] == '.') ||
           (place->length == 2 && !strncmp(place->name, "..", 2));
}
