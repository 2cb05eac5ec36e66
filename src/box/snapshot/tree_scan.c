#include "box/snapshot/snapshot_scan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "box/snapshot/file_contents.h"
#include "common/error.h"
#include "common/fs.h"
#include "common/interrupt.h"
#include "common/text.h"

/* Lines for what is left out, and for what has changed. */
#define SCAN_NOTES_MAX 20
/* Characters of a path in an error. */
#define SHOWN_MAX 100

typedef struct {
    const tree_scan *how;
    snapshot_manifest *into;
    snapshot_sum *sum;
    contents_queue *queue;
    GQueue folders; /* of char *: paths of folders that are still to be read */
    dev_t device;   /* of the top */
    guint changed;
    GError **error;
} scan;

/* Takes TEXT. */
static void note(scan *self, char *text)
{
    if (self->how->notes)
        g_ptr_array_add(self->how->notes, text);
    else
        g_free(text);
}

static void note_skipped(scan *self, const char *path, const char *why)
{
    g_autofree char *safe = text_safe(path, -1);
    if (self->sum->left_out++ < SCAN_NOTES_MAX)
        note(self, g_strdup_printf("left out of the %s: '%s': %s",
                                   snapshot_part_name(self->how->part), safe, why));
}

static void note_changed(scan *self, const char *path)
{
    g_autofree char *safe = text_safe(path, -1);
    if (self->changed++ < SCAN_NOTES_MAX)
        note(self, g_strdup_printf("'%s' was changed while it was read: the snapshot may have a "
                                   "part of each",
                                   safe));
}

gboolean tree_scan_is_same(const snapshot_entry *entry, const struct stat *st, gint64 settled)
{
    return entry->kind == SNAPSHOT_FILE && S_ISREG(st->st_mode) && entry->inode == st->st_ino &&
           entry->device == st->st_dev && entry->size == (guint64)st->st_size &&
           entry->mtime == contents_mtime(st) && entry->ctime == contents_ctime(st) &&
           entry->ctime < settled && !(entry->flags & SNAPSHOT_CHANGED);
}

static snapshot_entry entry_of(const scan *self, const char *path, const struct stat *st,
                               enum snapshot_kind kind)
{
    return (snapshot_entry){.path = path,
                            .target = "",
                            .part = (guint8)self->how->part,
                            .kind = (guint8)kind,
                            .mode = st->st_mode & 0777,
                            .mtime = contents_mtime(st),
                            .ctime = contents_ctime(st),
                            .device = st->st_dev,
                            .inode = st->st_ino};
}

static gboolean add_entry(scan *self, const snapshot_entry *entry)
{
    if (!snapshot_manifest_add(self->into, entry)) {
        g_autofree char *safe = text_safe_max(entry->path, -1, SHOWN_MAX);
        g_set_error(self->error, BOX_ERROR, BOX_ERROR_FAILED,
                    "the names in the %s, such as '%s', take more than %u MiB, the most that a "
                    "snapshot can have",
                    snapshot_part_name(self->how->part), safe, SNAPSHOT_FILE_MAX >> 20);
        return FALSE;
    }
    self->sum->bytes += entry->size;
    if (++self->sum->entries <= SNAPSHOT_ENTRIES_MAX)
        return TRUE;
    g_set_error(self->error, BOX_ERROR, BOX_ERROR_FAILED,
                "the %s has more than %d files, the most that a snapshot can have",
                snapshot_part_name(self->how->part), SNAPSHOT_ENTRIES_MAX);
    return FALSE;
}

/* What became of a file's contents. */
static gboolean add_contents(scan *self, contents_job *job)
{
    switch (job->result) {
    case CONTENTS_FAILED:
        g_propagate_error(self->error, g_steal_pointer(&job->problem));
        return FALSE;
    case CONTENTS_LEFT_OUT:
        note_skipped(self, job->path, job->why);
        return TRUE;
    case CONTENTS_STORED:
        break;
    }
    if (job->entry.flags & SNAPSHOT_CHANGED)
        note_changed(self, job->path);
    return add_entry(self, &job->entry);
}

/* The open file FD of ST, which it closes. */
static gboolean push_contents(scan *self, int fd, const char *path, const struct stat *st)
{
    snapshot_entry entry = entry_of(self, path, st, SNAPSHOT_FILE);
    contents_queue_push(self->queue, fd, st, &entry);
    g_autoptr(contents_job) job =
        contents_queue_is_full(self->queue) ? contents_queue_pop(self->queue) : NULL;
    return !job || add_contents(self, job);
}

static gboolean add_rest(scan *self)
{
    gboolean done = TRUE;
    while (done) {
        g_autoptr(contents_job) job = contents_queue_pop(self->queue);
        if (!job)
            break;
        done = add_contents(self, job);
    }
    return done;
}

static gboolean add_file(scan *self, int folder, const char *name, const char *path,
                         struct stat *st)
{
    const snapshot_manifest *before = self->how->before;
    const snapshot_entry *last =
        before ? snapshot_manifest_find(before, self->how->part, path) : NULL;
    if (last && tree_scan_is_same(last, st, before->header.settled) &&
        object_store_has(self->how->store, &last->object)) {
        snapshot_entry same = *last;
        same.mode = st->st_mode & 0777;
        return add_entry(self, &same);
    }
    /* It may be another one by now, such as a FIFO. */
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, st) < 0)
        note_skipped(self, path, g_strerror(errno));
    else if (!S_ISREG(st->st_mode))
        note_skipped(self, path, "it was changed while it was read");
    else
        return push_contents(self, fd, path, st);
    if (fd >= 0)
        close(fd);
    return TRUE;
}

static gboolean add_link(scan *self, int folder, const char *name, const char *path,
                         const struct stat *st)
{
    char target[SNAPSHOT_PATH_MAX + 1];
    ssize_t length = readlinkat(folder, name, target, sizeof target);
    if (length <= 0 || length == sizeof target) {
        note_skipped(self, path, length < 0 ? g_strerror(errno) : "its target is too long");
        return TRUE;
    }
    target[length] = '\0';
    snapshot_entry entry = entry_of(self, path, st, SNAPSHOT_LINK);
    entry.target = target;
    return add_entry(self, &entry);
}

static gboolean scan_entry(scan *self, int folder, const char *name, const char *path)
{
    const tree_scan *how = self->how;
    struct stat st;
    if (!interrupt_check(self->error))
        return FALSE;
    if (how->skips && how->skips(how->data, path))
        return TRUE;
    if (strlen(path) > SNAPSHOT_PATH_MAX) {
        note_skipped(self, path, "its path is too long");
    } else if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
        note_skipped(self, path, g_strerror(errno));
    } else if (S_ISREG(st.st_mode)) {
        return add_file(self, folder, name, path, &st);
    } else if (S_ISLNK(st.st_mode)) {
        return add_link(self, folder, name, path, &st);
    } else if (!S_ISDIR(st.st_mode)) {
        note_skipped(self, path, "it is neither a file, a folder nor a link");
    } else if (st.st_dev != self->device) {
        note_skipped(self, path, "it is on another file system");
    } else {
        snapshot_entry entry = entry_of(self, path, &st, SNAPSHOT_FOLDER);
        g_queue_push_tail(&self->folders, g_strdup(path));
        return add_entry(self, &entry);
    }
    return TRUE;
}

static gboolean scan_folder(scan *self, const char *path)
{
    int fd = fs_open_beneath(self->how->folder, *path ? path : ".", O_RDONLY | O_DIRECTORY, 0);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    gboolean done = TRUE;
    if (!folder) {
        note_skipped(self, *path ? path : ".", g_strerror(errno));
        if (fd >= 0)
            close(fd);
        return TRUE;
    }
    for (struct dirent *entry; done && (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        g_autofree char *each =
            *path ? g_strconcat(path, "/", entry->d_name, NULL) : g_strdup(entry->d_name);
        done = scan_entry(self, fd, entry->d_name, each);
    }
    closedir(folder);
    return done;
}

gboolean tree_scan_run(const tree_scan *how, snapshot_manifest *into, GError **error)
{
    struct stat top;
    snapshot_sum *sum = &into->header.sum[how->part];
    scan self = {.how = how, .into = into, .sum = sum, .folders = G_QUEUE_INIT, .error = error};
    guint64 before = object_store_added(how->store);
    g_autoptr(contents_queue) queue = contents_queue_new(how->store, error);
    gboolean done = queue != NULL;
    self.queue = queue;
    if (fstat(how->folder, &top) == 0)
        self.device = top.st_dev;
    g_queue_push_tail(&self.folders, g_strdup(""));
    for (char *path; (path = g_queue_pop_head(&self.folders)); g_free(path))
        done = done && scan_folder(&self, path);
    done = done && add_rest(&self);
    into->header.has[how->part] = TRUE;
    sum->stored = object_store_added(how->store) - before;
    if (sum->left_out > SCAN_NOTES_MAX)
        note(&self, g_strdup_printf("left out: %" G_GUINT64_FORMAT " more",
                                    sum->left_out - SCAN_NOTES_MAX));
    if (self.changed > SCAN_NOTES_MAX)
        note(&self, g_strdup_printf("changed while they were read: %u more",
                                    self.changed - SCAN_NOTES_MAX));
    return done;
}
