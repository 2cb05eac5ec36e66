#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tree/tree.h"

/* So much is read of a file that says that it is empty. */
#define UNKNOWN_SIZE_MAX (1 << 26)

struct sender {
    int out;
    int depth;
    int notes;
    char path[4096]; /* of the current entry, for notes: cut where it is longer */
    char data[TREE_DATA_MAX];
};

static int send_header(const struct sender *self, enum tree_record type, const struct stat *st,
                       const char *name)
{
    struct tree_header header = {.type = type,
                                 .length = (uint32_t)strlen(name),
                                 .mode = st->st_mode & 0777,
                                 .seconds = st->st_mtim.tv_sec,
                                 .nanoseconds = (uint32_t)st->st_mtim.tv_nsec};
    return tree_write(self->out, &header, sizeof header) < 0 ||
                   tree_write(self->out, name, header.length) < 0
               ? -1
               : 0;
}

static int send_end(const struct sender *self, off_t size)
{
    struct tree_header header = {.type = TREE_END, .offset = (uint64_t)size};
    return tree_write(self->out, &header, sizeof header);
}

/* The current entry is left out. */
static int leave_out_sent(struct sender *self, const char *why)
{
    char text[TREE_TEXT_MAX];
    snprintf(text, sizeof text, "'%.*s' %s", TREE_TEXT_MAX / 2, self->path, why);
    return tree_write_text(self->out, TREE_NOTE, text);
}

static int cannot_read(struct sender *self)
{
    char why[256];
    snprintf(why, sizeof why, "cannot be read: %s", strerror(errno));
    return leave_out_sent(self, why);
}

/* The bytes of FD from AT to END. Sets *AT to where they end: the file may be shorter by now. */
static int send_bytes(struct sender *self, int fd, off_t *at, off_t end)
{
    while (*at < end) {
        size_t want =
            end - *at < (off_t)sizeof self->data ? (size_t)(end - *at) : sizeof self->data;
        ssize_t n = pread(fd, self->data, want, *at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return cannot_read(self);
        if (n == 0)
            return 0;
        struct tree_header header = {
            .type = TREE_DATA, .length = (uint32_t)n, .offset = (uint64_t)*at};
        if (tree_write(self->out, &header, sizeof header) < 0 ||
            tree_write(self->out, self->data, (size_t)n) < 0)
            return -1;
        *at += n;
    }
    return 0;
}

/* What FD has now, without its holes: a file that grows would never end. */
static int send_file(struct sender *self, int fd, const struct stat *st, const char *name)
{
    off_t at = 0, end = st->st_size;
    if (send_header(self, TREE_FILE, st, name) < 0)
        return -1;
    /* One of /proc says that it is empty. */
    if (end == 0 && send_bytes(self, fd, &at, UNKNOWN_SIZE_MAX) < 0)
        return -1;
    if (end == 0)
        return send_end(self, at);
    while (at < end) {
        off_t data = lseek(fd, at, SEEK_DATA), hole = data < 0 ? -1 : lseek(fd, data, SEEK_HOLE);
        if (data < 0 && errno == ENXIO)
            break; /* a hole up to the end */
        if (data < 0 || hole < 0)
            data = at, hole = end; /* a file system that does not know */
        off_t stop = hole < end ? hole : end;
        at = data;
        if (at >= end)
            break;
        if (send_bytes(self, fd, &at, stop) < 0)
            return -1;
        if (at < stop)
            return send_end(self, at);
    }
    return send_end(self, end);
}

static int send_link(struct sender *self, int dirfd, const char *name, const char *as)
{
    struct tree_header header = {.type = TREE_LINK};
    char target[TREE_TARGET_MAX + 1];
    ssize_t n = readlinkat(dirfd, name, target, sizeof target);
    if (n < 0)
        return cannot_read(self);
    if (n == 0 || n == sizeof target)
        return leave_out_sent(self, "is a link whose target is too long");
    header.length = (uint32_t)(strlen(as) + 1 + (size_t)n);
    return tree_write(self->out, &header, sizeof header) < 0 ||
                   tree_write(self->out, as, strlen(as) + 1) < 0 ||
                   tree_write(self->out, target, (size_t)n) < 0
               ? -1
               : 0;
}

static int send_entry(struct sender *self, int dirfd, const char *name, const char *as, int follow);

/* Takes FD over. */
static int send_folder(struct sender *self, int fd, const struct stat *st, const char *name)
{
    DIR *folder = self->depth < TREE_DEPTH_MAX ? fdopendir(fd) : NULL;
    size_t length = strlen(self->path);
    int result;
    if (!folder) {
        result = self->depth < TREE_DEPTH_MAX
                     ? cannot_read(self)
                     : leave_out_sent(self, "has too many folders above it");
        close(fd);
        return result;
    }
    self->depth++;
    result = send_header(self, TREE_FOLDER, st, name);
    for (struct dirent *entry; result == 0 && (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(self->path + length, sizeof self->path - length, "/%s", entry->d_name);
        result = send_entry(self, dirfd(folder), entry->d_name, entry->d_name, 0);
        self->path[length] = '\0';
    }
    closedir(folder);
    self->depth--;
    return result == 0 ? send_end(self, 0) : -1;
}

/* NAME in DIRFD, called AS in the stream. */
static int send_entry(struct sender *self, int dirfd, const char *name, const char *as, int follow)
{
    struct stat st;
    if (fstatat(dirfd, name, &st, follow ? 0 : AT_SYMLINK_NOFOLLOW) < 0)
        return cannot_read(self);
    if (S_ISLNK(st.st_mode))
        return send_link(self, dirfd, name, as);
    if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return leave_out_sent(self, "is neither a file, a folder nor a link");
    /* It may be another one by now, such as a FIFO. */
    int fd = openat(dirfd, name,
                    O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW));
    if (fd < 0)
        return cannot_read(self);
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
        return send_folder(self, fd, &st, as);
    int result = S_ISREG(st.st_mode) ? send_file(self, fd, &st, as)
                                     : leave_out_sent(self, "changed while it was read");
    close(fd);
    return result;
}

int tree_send(int out, int dirfd, const char *name, int follow)
{
    static struct sender self;
    struct stat st;
    char text[TREE_TEXT_MAX];
    self.out = out;
    self.depth = 0;
    snprintf(self.path, sizeof self.path, "%s", name);
    if (fstatat(dirfd, name, &st, follow ? 0 : AT_SYMLINK_NOFOLLOW) < 0) {
        snprintf(text, sizeof text, "'%.*s': %s", TREE_TEXT_MAX / 2, name, strerror(errno));
        (void)tree_write_text(out, TREE_FAILED, text);
        return -1;
    }
    if (send_entry(&self, dirfd, name, "", follow) < 0)
        return -1;
    return tree_write_text(out, TREE_DONE, "");
}
