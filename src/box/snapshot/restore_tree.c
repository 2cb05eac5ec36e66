#include "box/snapshot/restore.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/snapshot/file_contents.h"
#include "common/error.h"
#include "common/fs.h"
#include "common/interrupt.h"
#include "common/text.h"

/* A file that is being written. */
typedef struct {
    int fd;
    guint64 at, size;
    gboolean is_sparse;
    sparse_reader sparse;
} writing;

/* For object_store_read(): these are not the contents. */
static gboolean set_wrong(GError **error)
{
    g_set_error_literal(error, BOX_ERROR, BOX_ERROR_PROTOCOL,
                        "contents of a snapshot are not as long as it says");
    return FALSE;
}

static gboolean write_at(int fd, guint64 at, const guint8 *data, gsize length, GError **error)
{
    if (lseek(fd, (off_t)at, SEEK_SET) < 0 || !fs_write_all(fd, (const char *)data, length)) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot restore a file: %s",
                    g_strerror(errno));
        return FALSE;
    }
    return TRUE;
}

/* An object_sink. */
static gboolean write_piece(void *to, const void *data, gsize length, GError **error)
{
    writing *self = to;
    const guint8 *piece = data, *found;
    guint64 offset;
    gsize count;
    if (!interrupt_check(error))
        return FALSE;
    if (!self->is_sparse) {
        if (length > self->size - self->at)
            return set_wrong(error);
        self->at += length;
        return write_at(self->fd, self->at - length, piece, length, error);
    }
    while (length) {
        if (!sparse_next(&self->sparse, &piece, &length, &offset, &found, &count))
            return set_wrong(error);
        if (count && !write_at(self->fd, offset, found, count, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean write_contents(int fd, const snapshot_entry *entry, object_store *store,
                               GError **error)
{
    writing to = {.fd = fd,
                  .size = entry->size,
                  .is_sparse = entry->flags & SNAPSHOT_SPARSE,
                  .sparse = {.size = entry->size}};
    if (!object_store_read(store, &entry->object, write_piece, &to, error))
        return FALSE;
    if (to.is_sparse ? !sparse_is_complete(&to.sparse) : to.at != to.size)
        return set_wrong(error);
    return !to.is_sparse || ftruncate(fd, (off_t)entry->size) == 0 ||
           fs_fail(error, "restore", entry->path);
}

static void set_times(const snapshot_entry *entry, struct timespec times[2])
{
    gint64 rest = entry->mtime % 1000000000;
    gint64 nanoseconds = rest < 0 ? rest + 1000000000 : rest;
    times[0] = (struct timespec){.tv_nsec = UTIME_OMIT};
    times[1] = (struct timespec){.tv_sec = (entry->mtime - nanoseconds) / 1000000000,
                                 .tv_nsec = nanoseconds};
}

static gboolean make_file(int parent, const char *name, const snapshot_entry *entry,
                          object_store *store, GError **error)
{
    struct timespec times[2];
    int fd = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return fs_fail(error, "restore", entry->path);
    set_times(entry, times);
    gboolean done = write_contents(fd, entry, store, error);
    if (!done && error && *error && !g_error_matches(*error, BOX_ERROR, BOX_ERROR_CANCELLED)) {
        g_autofree char *safe = text_safe(entry->path, -1);
        g_prefix_error(error, "'%s': ", safe);
    }
    if (done && fchmod(fd, entry->mode) < 0)
        done = fs_fail(error, "restore", entry->path);
    (void)futimens(fd, times); /* a nicety: a file system may not have that time */
    if (close(fd) < 0 && done)
        done = fs_fail(error, "restore", entry->path);
    return done;
}

static gboolean make_entry(int parent, const char *name, const snapshot_entry *entry,
                           object_store *store, GError **error)
{
    struct timespec times[2];
    if (entry->kind == SNAPSHOT_FILE)
        return make_file(parent, name, entry, store, error);
    if (entry->kind == SNAPSHOT_FOLDER)
        return mkdirat(parent, name, 0700) == 0 || fs_fail(error, "restore", entry->path);
    if (symlinkat(entry->target, parent, name) < 0)
        return fs_fail(error, "restore", entry->path);
    set_times(entry, times);
    (void)utimensat(parent, name, times, AT_SYMLINK_NOFOLLOW);
    return TRUE;
}

/* When all that is in it is there. */
static gboolean finish_folder(int top, const snapshot_entry *entry, GError **error)
{
    struct timespec times[2];
    int fd = fs_open_beneath(top, entry->path, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0)
        return errno == ENOENT || fs_fail(error, "restore", entry->path);
    set_times(entry, times);
    (void)futimens(fd, times);
    gboolean done = fchmod(fd, entry->mode) == 0 || fs_fail(error, "restore", entry->path);
    close(fd);
    return done;
}

/* The folder of PATH, made if need be, as entries that are not wanted may lead to it. -1 with
 * errno. */
static int open_parent(int top, const char *path, const char **name)
{
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    if (!slash)
        return fs_open_beneath(top, ".", O_RDONLY | O_DIRECTORY, 0);
    g_autofree char *folder = g_strndup(path, (gsize)(slash - path));
    int fd = fs_open_beneath(top, folder, O_RDONLY | O_DIRECTORY, 0);
    if (fd >= 0 || errno != ENOENT)
        return fd;
    const char *last;
    int above = open_parent(top, folder, &last);
    if (above < 0)
        return -1;
    fd = mkdirat(above, last, 0700) < 0
             ? -1
             : openat(above, last, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int saved = errno;
    close(above);
    errno = saved;
    return fd;
}

gboolean restore_tree(int folder, const snapshot_manifest *from, enum snapshot_part part,
                      object_store *store,
                      gboolean (*wants)(void *data, const snapshot_entry *entry), void *data,
                      GError **error)
{
    const GArray *entries = from->entries[part];
    gboolean done = TRUE;
    for (guint i = 0; done && i < entries->len; i++) {
        const snapshot_entry *entry = &g_array_index(entries, snapshot_entry, i);
        const char *name;
        if (wants && !wants(data, entry))
            continue;
        int parent = open_parent(folder, entry->path, &name);
        if (parent < 0)
            return fs_fail(error, "restore", entry->path);
        done = interrupt_check(error) && make_entry(parent, name, entry, store, error);
        close(parent);
    }
    for (guint i = entries->len; done && i-- > 0;) {
        const snapshot_entry *entry = &g_array_index(entries, snapshot_entry, i);
        if (entry->kind == SNAPSHOT_FOLDER)
            done = finish_folder(folder, entry, error);
    }
    return done;
}
