#include "guest/guard/lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest/guard/procfs.h"
#include "guest/guard/rights.h"

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
    int n = snprintf(joined, sizeof joined, "%s%s%s", text, self->rest[0] ? "/" : "", self->rest);
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
    if (guard_procfs_is(self->at)) {
        int object, error = guard_procfs_follow(self->request, self->at, name, text, &object);
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
    if (next < 0 && errno == EACCES && guard_procfs_is(self->at))
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

static struct walk start_walk(struct guard_request *request, int base, const char *path)
{
    struct walk self = {
        request, path[0] == '/' || base < 0 ? open_root() : openat(base, ".", O_PATH | O_CLOEXEC),
        0, ""};
    snprintf(self.rest, sizeof self.rest, "%s", path);
    return self;
}

/* Takes the next part of the path off what is left. Its length; 0: nothing but slashes is left. */
static size_t next_name(struct walk *self, char name[PATH_MAX])
{
    size_t skip = strspn(self->rest, "/"), length = strcspn(self->rest + skip, "/");
    memcpy(name, self->rest + skip, length);
    name[length] = '\0';
    memmove(self->rest, self->rest + skip + length, strlen(self->rest + skip + length) + 1);
    return length;
}

/* PATH from BASE one part at a time, where the kernel's own walk would take the guard for the
 * caller. */
static int walk_to(struct guard_request *request, int base, const char *path)
{
    struct walk self = start_walk(request, base, path);
    struct stat st;
    char name[PATH_MAX];
    int error = self.at < 0 ? errno : 0;
    while (!error && next_name(&self, name))
        error = step(&self, name);
    if (!error && (fstat(self.at, &st) < 0 || !S_ISDIR(st.st_mode)))
        error = ENOTDIR;
    if (error && self.at >= 0)
        close(self.at);
    errno = error;
    return error ? -1 : self.at;
}

/* BASE: AT_FDCWD for an absolute PATH. */
static int open_folder(struct guard_request *request, int base, const char *path, int *in_proc,
                       int *is_by_hand)
{
    struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
                           .resolve = RESOLVE_NO_MAGICLINKS};
    int fd = (int)syscall(SYS_openat2, base, *path ? path : ".", &how, sizeof how);
    *in_proc = fd >= 0 && guard_procfs_is(fd);
    *is_by_hand = fd < 0 || *in_proc;
    if (!*is_by_hand)
        return fd;
    if (fd >= 0)
        close(fd);
    else if (errno != ELOOP && errno != EACCES && errno != ENOENT)
        return -1;
    if (guard_rights_act(request) < 0)
        return -1;
    fd = walk_to(request, base, path);
    *in_proc = fd >= 0 && guard_procfs_is(fd);
    return fd;
}

int guard_lookup_folder(struct guard_request *request, const struct guard_path *path)
{
    int in_proc, is_by_hand;
    if (!path->text[0]) {
        errno = ENOENT;
        return -1;
    }
    return open_folder(request, path->base, path->text, &in_proc, &is_by_hand);
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

/* 1 when PLACE lies in BASE itself, where nothing has to be looked up. */
static int is_in_base(int base, const char *text, size_t way_length)
{
    return way_length == 0 && text[0] != '/' && base >= 0 && !guard_procfs_is(base);
}

static int find_place(struct guard_request *request, int base, const char *text,
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
    place->in_proc = 0;
    place->is_known = 0;
    place->is_by_hand = 0;
    place->is_borrowed = is_in_base(base, text, length);
    place->folder = place->is_borrowed ? base
                                       : open_folder(request, text[0] == '/' ? AT_FDCWD : base, way,
                                                     &place->in_proc, &place->is_by_hand);
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
    memcpy(name, place->name, place->length);
    name[place->length] = '\0';
    if (place->in_proc)
        return guard_procfs_follow(request, place->folder, name, text, &place->object);
    int found = fstatat(place->folder, name, &place->st, AT_SYMLINK_NOFOLLOW) == 0;
    place->is_known = found && !place->name[place->length];
    if (!found || !S_ISLNK(place->st.st_mode))
        return EINVAL;
    if (!may_follow(request, &place->st, place->folder))
        return EACCES;
    ssize_t n = readlinkat(place->folder, name, text, PATH_MAX - 1);
    if (n < 0)
        return EINVAL;
    text[n] = '\0';
    return n ? 0 : ENOENT;
}

/* Where SELF is, as a place: NAME, and a slash if any are left behind it. */
static void stop_at(const struct walk *self, const char *name, struct guard_place *place)
{
    *place = (struct guard_place){.folder = self->at,
                                  .object = -1,
                                  .length = strlen(name),
                                  .in_proc = guard_procfs_is(self->at)};
    memcpy(place->name, name, place->length);
    if (self->rest[0])
        strcpy(place->name + place->length, "/");
}

/* One part of a walk that follows a link at the end as well. 0, or an errno; -1: it is over. */
static int step_or_stop(struct walk *self, struct guard_place *place)
{
    char name[PATH_MAX], text[PATH_MAX];
    size_t length = next_name(self, name);
    if (length && self->rest[strspn(self->rest, "/")])
        return step(self, name);
    stop_at(self, length ? name : ".", place);
    int error = length ? read_link(self->request, place, text) : EINVAL;
    if (error == EINVAL || (error == ENOENT && place->in_proc))
        return -1; /* no link; that nothing is there shows later */
    if (error && place->object >= 0)
        close(place->object);
    if (error || place->object < 0)
        return error ? error : splice_text(self, text);
    close(self->at);
    place->folder = -1;
    return -1;
}

/* By hand, as all links of a path count: those on the way, and at the end. */
static int follow_links(struct guard_request *request, const struct guard_path *path,
                        struct guard_place *place)
{
    struct walk self = start_walk(request, path->base, path->text);
    int error = self.at < 0 ? errno : 0;
    while (!error)
        error = step_or_stop(&self, place);
    if (error > 0 && self.at >= 0)
        close(self.at);
    return error < 0 ? 0 : error;
}

int guard_lookup(struct guard_request *request, const struct guard_path *path, int follow,
                 struct guard_place *place)
{
    char text[PATH_MAX];
    if (!path->text[0])
        return ENOENT;
    int error = find_place(request, path->base, path->text, place);
    if (error || !follow)
        return error;
    error = read_link(request, place, text);
    if (error == EINVAL || (error == ENOENT && place->in_proc))
        return 0; /* no link; that nothing is there shows later */
    guard_place_release(place);
    if (error)
        return error;
    error = guard_rights_act(request);
    return error ? EPERM : follow_links(request, path, place);
}

void guard_place_release(struct guard_place *place)
{
    if (place->folder >= 0 && !place->is_borrowed)
        close(place->folder);
    if (place->object >= 0)
        close(place->object);
}

int guard_place_is_folder(const struct guard_place *place)
{
    return place->name[place->length] == '/' || (place->length == 1 && place->name[0] == '.') ||
           (place->length == 2 && !strncmp(place->name, "..", 2));
}
