#include "tree/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder that is open. */
struct level {
    int fd;
    int is_new;
    size_t path; /* length of the path of the folder above */
    mode_t mode;
    struct timespec time;
};

struct receiver {
    const struct tree_receiver *to;
    struct tree_state state;
    struct level levels[TREE_DEPTH_MAX];
    int open;     /* folders that are open */
    int unwanted; /* of what is left out: folders that are open in the stream, and a file */
    /* The file that is open: */
    int file; /* -1: none */
    char name[TREE_NAME_MAX + 1];
    char temporary[TREE_NAME_MAX + 1]; /* "": it has its own name already */
    int is_unnamed;                    /* it has no name so far */
    size_t file_path;                  /* length of the path of its folder */
    mode_t mode;
    struct timespec time;
    char path[(TREE_DEPTH_MAX + 2) * (TREE_NAME_MAX + 1)]; /* of the current entry */
    char body[TREE_DATA_MAX + 1];
    char *error;
    mode_t mask;
};

static int fail(struct receiver *self, const char *what)
{
    snprintf(self->error, TREE_TEXT_MAX, "'%.*s': %s", TREE_TEXT_MAX / 2, self->path, what);
    return -1;
}

static int fail_errno(struct receiver *self)
{
    return fail(self, strerror(errno));
}

static int here(const struct receiver *self)
{
    return self->open ? self->levels[self->open - 1].fd : self->to->folder;
}

int tree_link_stays(const char *target, int depth)
{
    int named = 0;
    if (*target == '/' || depth < 1)
        return 0;
    while (*target) {
        size_t length = strcspn(target, "/");
        if (length == 2 && memcmp(target, "..", 2) == 0) {
            if (named || --depth < 1)
                return 0;
        } else if (length > 1 || (length == 1 && *target != '.')) {
            named = 1;
        }
        target += length;
        target += *target == '/';
    }
    return 1;
}

static int exists_as(const struct receiver *self, const char *name, mode_t type)
{
    struct stat st;
    return fstatat(here(self), name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
           (st.st_mode & S_IFMT) == type;
}

/* Creates a file that will replace NAME. */
static int open_temporary(struct receiver *self)
{
    unsigned random;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return -1;
    snprintf(self->temporary, sizeof self->temporary, ".%.200s.%08x", self->name, random);
    self->is_unnamed = self->to->is_protected && self->to->is_protected(self->to->data, self->path);
    if (self->is_unnamed)
        return openat(here(self), ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
    return openat(here(self), self->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                  0600);
}

static int begin_file(struct receiver *self, const struct tree_header *header, size_t above)
{
    self->file_path = above;
    self->temporary[0] = '\0';
    self->mode = header->mode & 0777 & ~self->mask;
    self->time = (struct timespec){header->seconds, header->nanoseconds};
    self->file =
        openat(here(self), self->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (self->file < 0 && errno == EEXIST) {
        if (!exists_as(self, self->name, S_IFREG))
            return fail(self, "exists, and is not a file");
        self->file = open_temporary(self);
    }
    return self->file < 0 ? fail_errno(self) : 0;
}

/* Removes the file that is not complete. */
static void drop_file(struct receiver *self)
{
    if (self->file < 0)
        return;
    close(self->file);
    self->file = -1;
    if (!self->temporary[0] || !self->is_unnamed)
        unlinkat(here(self), self->temporary[0] ? self->temporary : self->name, 0);
}

/* Times are a nicety: a file system may not have that one. */
static void set_time(int fd, const struct timespec *time)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, *time};
    if (time->tv_nsec >= 0 && time->tv_nsec < 1000000000)
        (void)futimens(fd, times);
}

/* Gives the file without a name its own. linkat(2) replaces nothing, so the old file goes aside; it
 * never comes back, as somebody may have opened it there. */
static int give_name(struct receiver *self)
{
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", self->file);
    if (renameat(here(self), self->name, here(self), self->temporary) < 0)
        return -1;
    return linkat(AT_FDCWD, link, here(self), self->name, AT_SYMLINK_FOLLOW) < 0
               ? -1
               : unlinkat(here(self), self->temporary, 0);
}

static int replace_file(struct receiver *self)
{
    return self->is_unnamed ? give_name(self)
                            : renameat(here(self), self->temporary, here(self), self->name);
}

static int end_file(struct receiver *self, const struct tree_header *header)
{
    /* Longer than what came: the file ends with a hole. */
    if (ftruncate(self->file, (off_t)header->offset) < 0 || fchmod(self->file, self->mode) < 0)
        return fail_errno(self);
    set_time(self->file, &self->time);
    if (self->temporary[0] && replace_file(self) < 0)
        return fail_errno(self);
    int fd = self->file;
    self->file = -1;
    return close(fd) < 0 ? fail_errno(self) : 0;
}

static int receive_data(struct receiver *self, const struct tree_header *header)
{
    off_t at = (off_t)header->offset;
    for (size_t done = 0; done < header->length;) {
        ssize_t n = pwrite(self->file, self->body + done, header->length - done, at + (off_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return fail_errno(self);
        done += (size_t)n;
    }
    return 0;
}

static int begin_folder(struct receiver *self, const struct tree_header *header, size_t above)
{
    struct level *level = &self->levels[self->open];
    level->is_new = mkdirat(here(self), self->name, 0700) == 0;
    if (!level->is_new && errno != EEXIST)
        return fail_errno(self);
    level->fd = openat(here(self), self->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (level->fd < 0)
        return errno == ENOTDIR || errno == ELOOP ? fail(self, "exists, and is not a folder")
                                                  : fail_errno(self);
    level->path = above;
    level->mode = header->mode & 0777 & ~self->mask;
    level->time = (struct timespec){header->seconds, header->nanoseconds};
    self->open++;
    return 0;
}

static int end_folder(struct receiver *self)
{
    struct level *level = &self->levels[--self->open];
    int result = level->is_new && fchmod(level->fd, level->mode) < 0 ? fail_errno(self) : 0;
    if (level->is_new)
        set_time(level->fd, &level->time);
    close(level->fd);
    self->path[level->path] = '\0';
    return result;
}

static void leave_out_received(struct receiver *self, const char *why)
{
    char text[TREE_TEXT_MAX];
    snprintf(text, sizeof text, "'%.*s' %s", TREE_TEXT_MAX / 2, self->path, why);
    self->to->note(self->to->data, text);
}

static int make_link(struct receiver *self, const char *target)
{
    if (!self->to->any_links && !tree_link_stays(target, self->open)) {
        leave_out_received(self, "is a link that leads out of what is copied");
        return 0;
    }
    if (symlinkat(target, here(self), self->name) == 0)
        return 0;
    if (errno != EEXIST || !exists_as(self, self->name, S_IFLNK))
        return errno == EEXIST ? fail(self, "exists, and is not a link") : fail_errno(self);
    return unlinkat(here(self), self->name, 0) < 0 || symlinkat(target, here(self), self->name) < 0
               ? fail_errno(self)
               : 0;
}

/* Sets name and path of the entry that begins. Returns the length of the path before. */
static size_t set_name(struct receiver *self, int is_top)
{
    size_t above = strlen(self->path);
    /* The body's name ends with a NUL. */
    snprintf(self->name, sizeof self->name, "%.*s", TREE_NAME_MAX,
             is_top ? self->to->name : self->body);
    snprintf(self->path + above, sizeof self->path - above, "%s%s", above ? "/" : "", self->name);
    return above;
}

static int receive_begin(struct receiver *self, const struct tree_header *header, int is_top,
                         const char *target)
{
    size_t above = set_name(self, is_top);
    int result = 0, is_wanted = !self->to->wants || self->to->wants(self->to->data, self->path);
    if (!is_wanted && header->type != TREE_LINK)
        self->unwanted = 1;
    else if (is_wanted && header->type == TREE_FILE)
        return begin_file(self, header, above);
    else if (is_wanted && header->type == TREE_FOLDER)
        return begin_folder(self, header, above);
    else if (is_wanted)
        result = make_link(self, target);
    if (result == 0)
        self->path[above] = '\0';
    return result;
}

/* A record of what is left out. */
static void skip(struct receiver *self, const struct tree_header *header)
{
    if (header->type == TREE_FILE || header->type == TREE_FOLDER)
        self->unwanted++;
    else if (header->type == TREE_END)
        self->unwanted--;
}

static int receive_end(struct receiver *self, const struct tree_header *header)
{
    if (self->file < 0)
        return end_folder(self);
    if (end_file(self, header) < 0)
        return -1;
    self->path[self->file_path] = '\0';
    return 0;
}

static int take(struct receiver *self, const struct tree_header *header, int is_top,
                const char *target)
{
    if (self->unwanted) {
        skip(self, header);
        return 0;
    }
    switch ((enum tree_record)header->type) {
    case TREE_FILE:
    case TREE_FOLDER:
    case TREE_LINK:
        return receive_begin(self, header, is_top, target);
    case TREE_DATA:
        return receive_data(self, header);
    case TREE_END:
        return receive_end(self, header);
    case TREE_NOTE:
    case TREE_FAILED:
    case TREE_DONE:
        break;
    }
    return 0;
}

/* One record. 1: it was the last. */
static int receive_one(struct receiver *self, int in)
{
    struct tree_header header;
    const char *target = NULL;
    if (tree_read(in, &header, sizeof header) < 0)
        return fail(self, errno ? strerror(errno) : "the other side has ended");
    int is_top = !self->state.has_top;
    if (tree_check_header(&self->state, &header) < 0)
        return fail(self, "the other side breaks the protocol");
    if (tree_read(in, self->body, header.length) < 0)
        return fail(self, errno ? strerror(errno) : "the other side has ended");
    self->body[header.length] = '\0';
    if (tree_check_body(&header, self->body, is_top, &target) < 0)
        return fail(self, "the other side breaks the protocol");
    if (header.type == TREE_FAILED) {
        snprintf(self->error, TREE_TEXT_MAX, "%.*s", TREE_TEXT_MAX - 1, self->body);
        return -1;
    }
    if (header.type == TREE_NOTE)
        self->to->note(self->to->data, self->body);
    if (header.type == TREE_DONE)
        return 1;
    return take(self, &header, is_top, target);
}

int tree_receive(int in, const struct tree_receiver *to, char *error)
{
    static struct receiver self;
    int result;
    memset(&self, 0, offsetof(struct receiver, path));
    self.to = to;
    self.error = error;
    self.file = -1;
    self.path[0] = '\0';
    self.mask = umask(0);
    umask(self.mask);
    do
        result = receive_one(&self, in);
    while (result == 0);
    drop_file(&self);
    while (self.open)
        close(self.levels[--self.open].fd);
    return result == 1 ? 0 : -1;
}
