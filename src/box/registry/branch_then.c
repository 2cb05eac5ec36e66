#include "box/registry/branch_then.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "box/registry/git_index.h"
#include "common/fs.h"
#include "common/text.h"

#define THEN_FOLDER "then"
#define LIST "list"
#define LIST_MAX (256 << 20)
/* Of paths and sources that a start lists. A box may have written the index. */
#define LISTED_MAX (64 << 20)
#define INDEX_MAX (64 << 20)
/* Copies that one start makes. */
#define COPIES_MAX 1000
#define COPIES_BYTES_MAX (32 << 20)
#define UNKNOWN "-"
/* Of larger files it is not known whether they are git's: to hash one takes seconds. A box may have
 * written the index, and made a file that has no end and takes no room. */
#define HASHED_MAX (256 << 20)

struct branch_then {
    char *folder;
    GHashTable *sources; /* path -> source, as in the list */
    guint64 next;        /* the number of the next copy */
};

static branch_then *then_new(const struct box *of)
{
    branch_then *self = g_new0(branch_then, 1);
    self->folder = g_build_filename(of->data, THEN_FOLDER, NULL);
    self->sources = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    return self;
}

void branch_then_free(branch_then *self)
{
    if (!self)
        return;
    g_free(self->folder);
    g_hash_table_unref(self->sources);
    g_free(self);
}

static void set_source(branch_then *self, const char *path, const char *source)
{
    g_hash_table_replace(self->sources, g_strdup(path), g_strdup(source));
}

/* Adds what FILE lists. Only Litterbox writes it. */
static void read_list(branch_then *self, const char *file)
{
    g_autofree char *data = NULL;
    gsize length = 0;
    if (!fs_read(AT_FDCWD, file, LIST_MAX, &data, &length, NULL) || !length)
        return;
    self->next = MAX(self->next, g_ascii_strtoull(data, NULL, 10));
    for (const char *at = data + strlen(data) + 1, *end = data + length; at < end;) {
        const char *source = at + strlen(at) + 1;
        if (source >= end)
            break;
        set_source(self, at, source);
        at = source + strlen(source) + 1;
    }
}

int branch_then_lock(const struct box *of, GError **error)
{
    g_autofree char *path = g_build_filename(of->data, "then.lock", NULL);
    return fs_lock(path, NULL, error);
}

branch_then *branch_then_read(const struct box *of)
{
    branch_then *self = then_new(of);
    g_autofree char *file = g_build_filename(self->folder, LIST, NULL);
    read_list(self, file);
    return self;
}

static void append_part(GString *text, const char *part)
{
    g_string_append_len(text, part, (gssize)strlen(part) + 1);
}

static GString *start_list(const branch_then *self)
{
    GString *text = g_string_new(NULL);
    g_autofree char *next = g_strdup_printf("%" G_GUINT64_FORMAT, self->next);
    append_part(text, next);
    return text;
}

gboolean branch_then_write(const branch_then *self, GError **error)
{
    g_autofree char *file = g_build_filename(self->folder, LIST, NULL);
    g_autoptr(GString) text = start_list(self);
    GHashTableIter each;
    gpointer path, source;
    g_hash_table_iter_init(&each, self->sources);
    while (g_hash_table_iter_next(&each, &path, &source)) {
        append_part(text, path);
        append_part(text, source);
    }
    return fs_make_folder(self->folder, 0700, error) &&
           fs_write(file, text->str, (gssize)text->len, 0600, error);
}

gboolean branch_then_save(const branch_then *self, const GPtrArray *paths, const char *file,
                          GError **error)
{
    g_autoptr(GString) text = start_list(self);
    for (guint i = 0; i < paths->len; i++) {
        const char *source = g_hash_table_lookup(self->sources, paths->pdata[i]);
        append_part(text, paths->pdata[i]);
        append_part(text, source ? source : UNKNOWN);
    }
    return fs_write(file, text->str, (gssize)text->len, 0600, error);
}

void branch_then_restore(branch_then *self, const char *file)
{
    read_list(self, file);
}

/* What is known. */

static int open_copy(const branch_then *self, const char *number)
{
    g_autofree char *path = g_build_filename(self->folder, number, NULL);
    return open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
}

gboolean branch_then_knows(const branch_then *self, const char *path)
{
    const char *source = g_hash_table_lookup(self->sources, path);
    return source && strcmp(source, UNKNOWN) != 0;
}

gboolean branch_then_find(const branch_then *self, const char *path, int *fd, const char **object)
{
    const char *source = g_hash_table_lookup(self->sources, path);
    *fd = -1;
    *object = NULL;
    if (!branch_then_knows(self, path))
        return FALSE;
    if (*source == '=')
        return (*fd = open_copy(self, source + 1)) >= 0;
    *object = source;
    return TRUE;
}

/* The name that git gives to the file FD of SIZE bytes, a new string; NULL with errno. */
static char *name_object(int fd, gint64 size)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA1);
    g_autofree char *head = g_strdup_printf("blob %" G_GINT64_FORMAT, size);
    g_autofree guchar *block = g_malloc(65536);
    g_checksum_update(sum, (const guchar *)head, (gssize)strlen(head) + 1);
    for (off_t at = 0; at < size;) {
        ssize_t n = pread(fd, block, 65536, at);
        if (n <= 0)
            return NULL;
        g_checksum_update(sum, block, n);
        at += n;
    }
    return g_strdup(g_checksum_get_string(sum));
}

int branch_then_is(const branch_then *self, const char *path, int fd, const struct stat *st)
{
    const char *object;
    int copy;
    if (st->st_size > HASHED_MAX || !branch_then_find(self, path, &copy, &object))
        return -1;
    g_autofree char *then = NULL, *now = NULL;
    if (copy >= 0) {
        struct stat of_copy;
        if (fstat(copy, &of_copy) == 0 && of_copy.st_size == st->st_size)
            then = name_object(copy, of_copy.st_size);
        close(copy);
    } else if (g_ascii_strtoll(object + GIT_OBJECT_ID_LENGTH, NULL, 10) == st->st_size) {
        then = g_strndup(object, GIT_OBJECT_ID_LENGTH);
    }
    now = then ? name_object(fd, st->st_size) : NULL;
    return now && strcmp(then, now) == 0;
}

static gboolean copy_to(const branch_then *self, const char *number, int fd, gsize size)
{
    g_autofree char *path = g_build_filename(self->folder, number, NULL), *data = NULL;
    gsize length;
    if (size > BRANCH_THEN_FILE_MAX || lseek(fd, 0, SEEK_SET) < 0 ||
        !fs_make_folder(self->folder, 0700, NULL) ||
        !fs_read_fd(fd, path, BRANCH_THEN_FILE_MAX, &data, &length, NULL))
        return FALSE;
    /* One of a list that was never written may be there. */
    int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    gboolean done = to >= 0 && fs_write_all(to, data, length);
    return (to < 0 || close(to) == 0) && done;
}

void branch_then_set(branch_then *self, const char *path, int fd)
{
    struct stat st;
    g_autofree char *source = g_strdup_printf("=%" G_GUINT64_FORMAT, self->next);
    if (fd < 0 || fstat(fd, &st) < 0 || !copy_to(self, source + 1, fd, (gsize)st.st_size)) {
        set_source(self, path, UNKNOWN);
        return;
    }
    self->next++;
    set_source(self, path, source);
}

/* A start. */

typedef struct {
    branch_then *then;
    const GPtrArray *own; /* sorted */
    int project;
    struct timespec index; /* when git's index was written */
    guint copies;
    gsize bytes, listed;
} look;

/* The branch has PATH, or a folder that it lies in, for itself already. */
static gboolean is_of_branch(const look *self, const char *path)
{
    if (!self->own->len)
        return FALSE;
    g_autofree char *at = g_strdup(path);
    do {
        if (bsearch(&at, self->own->pdata, self->own->len, sizeof at, text_compare))
            return TRUE;
    } while (text_cut_path(at));
    return FALSE;
}

/* As git takes a file for unchanged. One of the index's own time may have changed since. */
static gboolean is_as_indexed(const look *self, const git_index_entry *entry, const struct stat *st)
{
    gboolean is_older = st->st_mtim.tv_sec != self->index.tv_sec
                            ? st->st_mtim.tv_sec < self->index.tv_sec
                            : st->st_mtim.tv_nsec < self->index.tv_nsec;
    return is_older && entry->size == (guint32)st->st_size && entry->inode == (guint32)st->st_ino &&
           entry->mtime == (guint32)st->st_mtim.tv_sec &&
           (!entry->mtime_ns || entry->mtime_ns == (guint32)st->st_mtim.tv_nsec);
}

static void keep_copy(look *self, const char *path, const struct stat *st)
{
    if (self->copies >= COPIES_MAX || st->st_size > BRANCH_THEN_FILE_MAX ||
        self->bytes + (gsize)st->st_size > COPIES_BYTES_MAX)
        return;
    int fd = fs_open_beneath(self->project, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    if (fd < 0)
        return;
    branch_then_set(self->then, path, fd);
    self->copies++;
    self->bytes += (gsize)st->st_size;
    close(fd);
}

/* As git writes paths. Others would leave the project, or be one file under many names. */
static gboolean is_plain_path(const char *path)
{
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);
    for (char **part = parts; *part; part++)
        if (!**part || strcmp(*part, ".") == 0 || strcmp(*part, "..") == 0)
            return FALSE;
    return TRUE;
}

static gboolean has_room(look *self, const char *path)
{
    gsize bytes = strlen(path) + GIT_OBJECT_ID_LENGTH + sizeof " 18446744073709551615";
    if (bytes > LISTED_MAX - self->listed)
        return FALSE;
    self->listed += bytes;
    return TRUE;
}

static void look_at(const git_index_entry *entry, void *data)
{
    look *self = data;
    struct stat st;
    if (!S_ISREG(entry->mode) || entry->stage || !is_plain_path(entry->path) ||
        is_of_branch(self, entry->path) || !has_room(self, entry->path) ||
        fstatat(self->project, entry->path, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
        return;
    if (!is_as_indexed(self, entry, &st)) {
        keep_copy(self, entry->path, &st);
        return;
    }
    g_autofree char *source = g_strdup_printf("%s %jd", entry->object, (intmax_t)st.st_size);
    set_source(self->then, entry->path, source);
}

/* Without an index that we can read, nothing is known. */
static void read_index(look *self)
{
    g_autofree char *data = NULL;
    gsize length;
    struct stat st;
    int fd = fs_open_beneath(self->project, ".git/index", O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && fs_read_fd(fd, "index", INDEX_MAX, &data, &length, NULL)) {
        self->index = st.st_mtim;
        git_index_parse(data, length, look_at, self);
    }
    close(fd);
}

static void add_copies_of(GHashTable *named, const branch_then *self)
{
    GHashTableIter each;
    gpointer source;
    g_hash_table_iter_init(&each, self->sources);
    while (g_hash_table_iter_next(&each, NULL, &source))
        if (*(const char *)source == '=')
            g_hash_table_add(named, (char *)source + 1);
}

/* Removes copies that neither SELF names nor SAVED, which an undo brings back. */
static void remove_others(const branch_then *self, const branch_then *saved)
{
    g_autoptr(GHashTable) named = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GDir) folder = g_dir_open(self->folder, 0, NULL);
    add_copies_of(named, self);
    add_copies_of(named, saved);
    for (const char *name; folder && (name = g_dir_read_name(folder));) {
        g_autofree char *path = g_build_filename(self->folder, name, NULL);
        if (g_ascii_isdigit(*name) && !g_hash_table_contains(named, name))
            unlink(path);
    }
}

gboolean branch_then_start(const struct box *self, const GPtrArray *own, GError **error)
{
    int lock = branch_then_lock(self, error);
    if (lock < 0)
        return FALSE;
    g_autoptr(branch_then) old = branch_then_read(self), then = then_new(self);
    g_autoptr(branch_then) saved = then_new(self);
    g_autofree char *undo = g_build_filename(self->data, BRANCH_THEN_UNDO, NULL);
    read_list(saved, undo);
    look at = {.then = then,
               .own = own,
               .project = open(self->project, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    then->next = old->next;
    for (guint i = 0; i < own->len; i++) {
        const char *source = g_hash_table_lookup(old->sources, own->pdata[i]);
        if (source)
            set_source(then, own->pdata[i], source);
    }
    if (at.project >= 0) {
        read_index(&at);
        close(at.project);
    }
    gboolean done = branch_then_write(then, error);
    if (done)
        remove_others(then, saved);
    close(lock);
    return done;
}
