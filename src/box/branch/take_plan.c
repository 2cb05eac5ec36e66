#include "box/branch/take_plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/text.h"

#define PLAN_FILE "plan"
#define PLAN_FILE_MAX (1 << 30)
#define ID_LENGTH 16
/* Strings of an item: see take_plan_write(). */
#define FIELDS 4

static void item_free(gpointer data)
{
    take_item *self = data;
    if (!self)
        return;
    g_free(self->path);
    g_free(self->old_link);
    g_free(self->link);
    g_free(self);
}

static take_plan *plan_new(char *folder, const char *id)
{
    take_plan *self = g_new0(take_plan, 1);
    *self = (take_plan){folder, g_strdup(id), g_ptr_array_new_with_free_func(item_free), -1};
    return self;
}

take_plan *take_plan_new(const struct box *of)
{
    g_autofree char *id = text_new_id();
    return plan_new(g_build_filename(of->data, TAKE_FOLDER, NULL), id);
}

void take_plan_free(take_plan *self)
{
    if (!self)
        return;
    g_free(self->folder);
    g_free(self->id);
    g_ptr_array_unref(self->items);
    if (self->aside >= 0)
        close(self->aside);
    g_free(self);
}

/* A GEqualFunc. */
static gboolean item_is_protected(gconstpointer item, gconstpointer unused)
{
    (void)unused;
    return ((const take_item *)item)->is_protected;
}

/* Subvolumes have devices of their own. Between two mounts a rename fails before the names are
 * looked for, else because there is none (rename(2)). */
void take_plan_find_aside(take_plan *self, int project)
{
    struct stat ours, theirs;
    if (!g_ptr_array_find_with_equal_func(self->items, NULL, item_is_protected, NULL))
        return;
    int fd = open(self->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    gboolean is_same = fd >= 0 && fstat(fd, &ours) == 0 && fstat(project, &theirs) == 0 &&
                       ours.st_dev == theirs.st_dev &&
                       renameat2(fd, "none", project, "none", RENAME_NOREPLACE) < 0 &&
                       errno == ENOENT;
    if (fd >= 0 && !is_same)
        close(fd);
    self->aside = is_same ? fd : -1;
}

take_item *take_plan_add(take_plan *self, const char *path)
{
    take_item *item = g_new0(take_item, 1);
    item->path = g_strdup(path);
    g_ptr_array_add(self->items, item);
    return item;
}

static gint64 mtime_of(const struct stat *st)
{
    return (gint64)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

void take_item_set_before(take_item *item, const struct stat *st)
{
    item->before = st->st_mode;
    item->inode = st->st_ino;
    item->size = S_ISDIR(st->st_mode) ? 0 : (gint64)st->st_size;
    item->mtime = S_ISDIR(st->st_mode) ? 0 : mtime_of(st);
}

/* Not by the change time, which a rename sets. */
gboolean take_item_is_before(const take_item *item, const struct stat *st)
{
    return st->st_mode == item->before && st->st_ino == item->inode &&
           (S_ISDIR(st->st_mode) || (st->st_size == item->size && mtime_of(st) == item->mtime));
}

const char *const take_copy_names[N_TAKE_COPIES] = {"new", "old", "branch"};

static char *copy_path(const take_plan *self, enum take_copy of, guint index)
{
    g_autofree char *name = g_strdup_printf("%u", index);
    return g_build_filename(self->folder, take_copy_names[of], name, NULL);
}

int take_plan_open(const take_plan *self, enum take_copy of, guint index)
{
    g_autofree char *path = copy_path(self, of, index);
    return open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
}

int take_plan_make(const take_plan *self, enum take_copy of, guint index)
{
    g_autofree char *path = copy_path(self, of, index);
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

int take_plan_set_aside(const take_plan *self, guint index)
{
    g_autofree char *new = copy_path(self, TAKE_COPY_NEW, index);
    g_autofree char *of_branch = copy_path(self, TAKE_COPY_BRANCH, index);
    return rename(new, of_branch);
}

/* Closes FD, or -1. DONE: all of it was written. FALSE with errno. */
static gboolean finish_copy(int fd, gboolean done)
{
    int saved = errno;
    if (fd >= 0 && close(fd) < 0 && done) {
        done = FALSE;
        saved = errno;
    }
    errno = saved;
    return done;
}

gboolean take_plan_copy(const take_plan *self, enum take_copy of, guint index, int fd)
{
    int to = take_plan_make(self, of, index);
    return finish_copy(to, to >= 0 && fs_copy_contents(fd, to));
}

gboolean take_plan_rewrite(const take_plan *self, guint index, const char *data, gsize length)
{
    g_autofree char *path = copy_path(self, TAKE_COPY_NEW, index);
    int fd = open(path, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC);
    return finish_copy(fd, fd >= 0 && fs_write_all(fd, data, length));
}

/* The copies of item number INDEX become those of number TO, or with -1 go. Not every item has
 * each. */
static gboolean move_copies(const take_plan *self, guint index, gint64 to)
{
    for (int of = 0; of < N_TAKE_COPIES; of++) {
        g_autofree char *path = copy_path(self, of, index);
        g_autofree char *target = to < 0 ? NULL : copy_path(self, of, (guint)to);
        if ((target ? rename(path, target) : unlink(path)) < 0 && errno != ENOENT)
            return FALSE;
    }
    return TRUE;
}

gboolean take_plan_keep(take_plan *self, const gboolean *keep)
{
    g_autoptr(GPtrArray) old = self->items;
    self->items = g_ptr_array_new_with_free_func(item_free);
    for (guint i = 0; i < old->len; i++) {
        if (!move_copies(self, i, keep[i] ? (gint64)self->items->len : -1))
            return FALSE;
        if (keep[i])
            g_ptr_array_add(self->items, g_steal_pointer(&old->pdata[i]));
    }
    return TRUE;
}

/*
 * The file: NUL-terminated strings, as a path has any other byte. First the id, and then for each
 * item "BEFORE AFTER INODE SIZE MTIME MOVED PROTECTED", the path and the two targets. Only
 * Litterbox writes it.
 */
gboolean take_plan_write(const take_plan *self, GError **error)
{
    g_autofree char *path = g_build_filename(self->folder, PLAN_FILE, NULL);
    g_autoptr(GString) text = g_string_new(self->id);
    g_string_append_c(text, '\0');
    for (guint i = 0; i < self->items->len; i++) {
        const take_item *item = self->items->pdata[i];
        const char *fields[] = {item->path, item->old_link, item->link};
        g_string_append_printf(
            text, "%o %o %" G_GUINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %d %d",
            item->before, item->after, item->inode, item->size, item->mtime, item->moved_on,
            item->is_protected);
        g_string_append_c(text, '\0');
        for (gsize k = 0; k < G_N_ELEMENTS(fields); k++)
            g_string_append_len(text, fields[k] ? fields[k] : "",
                                fields[k] ? (gssize)strlen(fields[k]) + 1 : 1);
    }
    int folder = open(self->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0) {
        syncfs(folder);
        close(folder);
    }
    return fs_write(path, text->str, (gssize)text->len, 0600, error);
}

static gboolean parse_item(take_plan *self, const char *const fields[FIELDS])
{
    unsigned before, after;
    guint64 inode;
    gint64 size, mtime;
    int moved_on, is_protected;
    if (sscanf(fields[0],
               "%o %o %" G_GUINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %d %d",
               &before, &after, &inode, &size, &mtime, &moved_on, &is_protected) != 7 ||
        !*fields[1])
        return FALSE;
    take_item *item = take_plan_add(self, fields[1]);
    item->before = before;
    item->after = after;
    item->inode = inode;
    item->size = size;
    item->mtime = mtime;
    item->moved_on = moved_on != 0;
    item->is_protected = is_protected != 0;
    item->old_link = *fields[2] ? g_strdup(fields[2]) : NULL;
    item->link = *fields[3] ? g_strdup(fields[3]) : NULL;
    return TRUE;
}

static gboolean parse(take_plan *self, const char *data, gsize length)
{
    const char *fields[FIELDS];
    guint count = 0;
    for (const char *at = data, *end = data + length; at < end; at += strlen(at) + 1) {
        fields[count++] = at;
        if (count == FIELDS && !parse_item(self, fields))
            return FALSE;
        count %= FIELDS;
    }
    return count == 0;
}

take_plan *take_plan_read(const struct box *of, const char *folder, GError **error)
{
    g_autofree char *path = g_build_filename(of->data, folder, NULL), *data = NULL;
    g_autofree char *file = g_build_filename(path, PLAN_FILE, NULL);
    gsize length = 0;
    if (access(file, F_OK) < 0 || !fs_read(AT_FDCWD, file, PLAN_FILE_MAX, &data, &length, error))
        return NULL;
    gsize id = strlen(data) + 1;
    g_autoptr(take_plan) self = plan_new(g_steal_pointer(&path), data);
    if (id == ID_LENGTH + 1 && id <= length && parse(self, data + id, length - id))
        return g_steal_pointer(&self);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "the record of a take cannot be read: '%s'",
                file);
    return NULL;
}
