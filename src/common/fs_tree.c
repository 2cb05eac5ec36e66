/*
 * Walks a folder tree that a box may have built: of any depth, with any names, and with symlinks to
 * anywhere.
 *
 * Only one folder is open at a time. The way down is a list on the heap. The way up is "..", which
 * must be the folder that we came from, or the walk fails: somebody moved it. So depth costs
 * neither descriptors nor stack, and no path exceeds PATH_MAX.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/text.h"

typedef struct {
    char *name; /* in its parent */
    dev_t dev;
    ino_t ino;
    GPtrArray *folders; /* names of subfolders that the walk has not entered yet */
} level;

typedef struct walk walk;
struct walk {
    GPtrArray *levels; /* of level, from the top down; FD is the last one */
    int fd;
    char *failed; /* name of the entry that ended the walk; NULL: the last folder itself */
    /* Called for each file, and for each folder after everything below it. -1 with errno. */
    int (*visit)(walk *self, int dirfd, const char *name, const struct stat *st);
    gboolean make_writable; /* before entering a folder */
    gint64 blocks;          /* of 512 bytes */
    GHashTable *seen;       /* "dev:ino" of files with several hard links -> links seen */
    gboolean whole;         /* counts a file only once all its links were seen */
    gboolean skipped;       /* a folder could not be entered */
};

static void level_free(gpointer data)
{
    level *self = data;
    g_free(self->name);
    g_ptr_array_unref(self->folders);
    g_free(self);
}

static void walk_clear(walk *self)
{
    if (self->fd >= 0)
        close(self->fd);
    g_ptr_array_unref(self->levels);
    g_clear_pointer(&self->seen, g_hash_table_unref);
    g_free(self->failed);
}

static int open_folder(int dirfd, const char *name, gboolean first)
{
    /* The walk does not enter mounts: their contents do not belong to the tree. */
    struct open_how how = {
        .flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
        .resolve = first ? 0 : RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
    };
    return syscall(SYS_openat2, dirfd, name, &how, sizeof how);
}

/* Lets the owner empty folders of mode 0, or 0555 as Go's module cache has them. */
static void make_writable(int dirfd, const char *name)
{
    int fd = openat(dirfd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 0700) != 0700) {
        char link[64];
        g_snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        if (chmod(link, 0700) < 0)
            g_debug("chmod: %s", g_strerror(errno)); /* the removal reports the error */
    }
    close(fd);
}

static int visit_entry(walk *self, level *at, const char *name)
{
    struct stat st;
    if (fstatat(self->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : -1;
    if (S_ISDIR(st.st_mode)) {
        g_ptr_array_add(at->folders, g_strdup(name));
        return 0;
    }
    return self->visit(self, self->fd, name, &st);
}

/* Visits the files of the open folder and collects its subfolders. */
static int read_folder(walk *self, level *at)
{
    /* closedir() closes the descriptor that fdopendir() was given. */
    int copy = fcntl(self->fd, F_DUPFD_CLOEXEC, 0);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    if (!dir) {
        if (copy >= 0)
            close(copy);
        return -1;
    }
    int result = 0;
    for (;;) {
        errno = 0;
        struct dirent *entry = readdir(dir);
        if (!entry) {
            result = errno ? -1 : 0;
            break;
        }
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        if (visit_entry(self, at, entry->d_name) < 0) {
            self->failed = g_strdup(entry->d_name);
            result = -1;
            break;
        }
    }
    int saved = errno;
    closedir(dir);
    errno = saved;
    return result;
}

static int enter(walk *self, const char *name)
{
    gboolean first = self->levels->len == 0;
    int from = first ? AT_FDCWD : self->fd;

    if (self->make_writable)
        make_writable(from, name);
    int fd = open_folder(from, name, first);
    struct stat st;
    /* It was removed meanwhile. A count also skips mounts and the folders of other users of the
     * box, which cannot be opened. */
    if (fd < 0 && !first && (errno == ENOENT || !self->make_writable)) {
        self->skipped |= errno == EACCES;
        return 0;
    }
    if (fd < 0 || fstat(fd, &st) < 0) {
        self->failed = first ? NULL : g_strdup(name);
        if (fd >= 0)
            close(fd);
        return -1;
    }
    if (!first)
        close(self->fd);
    self->fd = fd;
    level *at = g_new0(level, 1);
    at->name = g_strdup(name);
    at->dev = st.st_dev;
    at->ino = st.st_ino;
    at->folders = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(self->levels, at);
    return read_folder(self, at);
}

/* Returns to the parent and visits the folder that was left. Not for the top folder. */
static int leave(walk *self)
{
    level *parent = g_ptr_array_index(self->levels, self->levels->len - 2);
    struct stat left, st;
    int fd = openat(self->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0 || fstat(self->fd, &left) < 0 || fstat(fd, &st) < 0) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    close(self->fd);
    self->fd = fd;
    if (st.st_dev != parent->dev || st.st_ino != parent->ino) {
        errno = EAGAIN; /* somebody moved it */
        return -1;
    }
    level *at = g_ptr_array_steal_index(self->levels, self->levels->len - 1);
    int result = self->visit(self, fd, at->name, &left);
    if (result < 0)
        self->failed = g_strdup(at->name);
    level_free(at);
    return result;
}

static int walk_tree(walk *self, const char *path)
{
    if (enter(self, path) < 0)
        return -1;
    for (;;) {
        level *at = g_ptr_array_index(self->levels, self->levels->len - 1);
        if (at->folders->len > 0) {
            g_autofree char *name = g_ptr_array_steal_index_fast(at->folders, at->folders->len - 1);
            if (enter(self, name) < 0)
                return -1;
        } else if (self->levels->len == 1) {
            return 0;
        } else if (leave(self) < 0) {
            return -1;
        }
    }
}

/* The path where the walk ended, safe to show. */
static char *walk_position(const walk *self, const char *path)
{
    g_autoptr(GString) position = g_string_new(path);
    for (guint i = 1; i < self->levels->len; i++) {
        const level *at = g_ptr_array_index(self->levels, i);
        g_string_append_printf(position, "/%s", at->name);
    }
    if (self->failed)
        g_string_append_printf(position, "/%s", self->failed);
    return text_safe(position->str, position->len);
}

static int remove_entry(walk *self, int dirfd, const char *name, const struct stat *st)
{
    int result = unlinkat(dirfd, name, S_ISDIR(st->st_mode) ? AT_REMOVEDIR : 0);
    return result < 0 && errno == ENOENT ? 0 : result;
}

gboolean fs_remove_tree(const char *path, GError **error)
{
    walk self = {.fd = -1, .visit = remove_entry, .make_writable = TRUE};
    struct stat st;
    int result;

    self.levels = g_ptr_array_new_with_free_func(level_free);
    if (lstat(path, &st) < 0)
        result = errno == ENOENT ? 0 : -1;
    else if (!S_ISDIR(st.st_mode))
        result = unlink(path);
    else
        result = walk_tree(&self, path) < 0 ? -1 : rmdir(path);
    if (result < 0 && errno != ENOENT) {
        int saved = errno;
        g_autofree char *position = walk_position(&self, path);
        g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(saved), "cannot remove '%s': %s",
                    position, g_strerror(saved));
    } else {
        result = 0;
    }
    walk_clear(&self);
    return result == 0;
}

/* TRUE when the file of ST, which has several hard links, is to be counted now. */
static gboolean is_its_turn(walk *self, const struct stat *st)
{
    char *key = g_strdup_printf("%ju:%ju", (uintmax_t)st->st_dev, (uintmax_t)st->st_ino);
    gsize links = GPOINTER_TO_SIZE(g_hash_table_lookup(self->seen, key)) + 1;
    g_hash_table_replace(self->seen, key, GSIZE_TO_POINTER(links));
    return links == (self->whole ? st->st_nlink : 1);
}

static int count_entry(walk *self, int dirfd, const char *name, const struct stat *st)
{
    if (st->st_nlink <= 1 || S_ISDIR(st->st_mode) || is_its_turn(self, st))
        self->blocks += st->st_blocks;
    return 0;
}

static gint64 count(const char *path, gboolean whole, gboolean *complete)
{
    walk self = {.fd = -1, .visit = count_entry, .whole = whole};
    struct stat st;

    *complete = TRUE;
    if (lstat(path, &st) < 0)
        return -1;
    if (!S_ISDIR(st.st_mode))
        return whole && st.st_nlink > 1 ? 0 : (gint64)st.st_blocks * 512;
    self.levels = g_ptr_array_new_with_free_func(level_free);
    self.seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    int result = walk_tree(&self, path);
    int saved = errno;
    gint64 bytes = (self.blocks + st.st_blocks) * 512;
    *complete = result == 0 && !self.skipped;
    walk_clear(&self);
    errno = saved;
    return result < 0 ? -1 : bytes;
}

gint64 fs_disk_usage(const char *path)
{
    gboolean complete;
    return count(path, FALSE, &complete);
}

gint64 fs_disk_freed(const char *path, gboolean *complete)
{
    gboolean ignored;
    return count(path, TRUE, complete ? complete : &ignored);
}
