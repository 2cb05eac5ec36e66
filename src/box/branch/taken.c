#include "box/branch/taken.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"

#define FILE_NAME "taken"
#define FILE_MAX (256 << 20)

mode_t branch_taken_rights(mode_t mode)
{
    return mode & 0777 & ~(mode_t)S_IWOTH;
}

static int same_link(int branch, int host, const char *name)
{
    char one[PATH_MAX], other[PATH_MAX];
    ssize_t n = readlinkat(branch, name, one, sizeof one);
    ssize_t m = readlinkat(host, name, other, sizeof other);
    return n < 0 ? -1 : n == m && memcmp(one, other, (gsize)n) == 0;
}

static int open_file(int folder, const char *name)
{
    return fs_open_beneath(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
}

/* A call less for each of the user's own files, which are most. */
static gboolean may_read(int folder, const char *name, const struct stat *st)
{
    if (st->st_uid == geteuid())
        return (st->st_mode & S_IRUSR) != 0;
    return faccessat(folder, name, R_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW) == 0;
}

int branch_is_same(int branch, int host, const char *name, const struct stat *branch_st,
                   const struct stat *host_st)
{
    gboolean alike = (branch_st->st_mode & S_IFMT) == (host_st->st_mode & S_IFMT);
    if (S_ISLNK(branch_st->st_mode))
        return alike ? same_link(branch, host, name) : 0;
    if (!host_st->st_mode)
        return may_read(branch, name, branch_st) ? 0 : -1;
    int ours = open_file(branch, name);
    if (ours < 0)
        return -1;
    gboolean same =
        alike && branch_st->st_size == host_st->st_size &&
        branch_taken_rights(branch_st->st_mode) == branch_taken_rights(host_st->st_mode);
    int theirs = same ? open_file(host, name) : -1;
    same = theirs >= 0 && fs_same_contents(ours, theirs);
    if (theirs >= 0)
        close(theirs);
    close(ours);
    return same;
}

/* "INODE:SECONDS.NANOSECONDS", by the change time, for each path. */
struct branch_taken {
    GHashTable *marks;
};

static char *mark_of(const struct stat *st)
{
    return g_strdup_printf("%ju:%jd.%09ld", (uintmax_t)st->st_ino, (intmax_t)st->st_ctim.tv_sec,
                           st->st_ctim.tv_nsec);
}

/* The file: NUL-terminated strings, path and mark in turn. Only Litterbox writes it. */
branch_taken *branch_taken_read(const struct box *self)
{
    branch_taken *taken = g_new0(branch_taken, 1);
    g_autofree char *path = g_build_filename(self->data, FILE_NAME, NULL), *data = NULL;
    gsize length = 0;
    taken->marks = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    if (!fs_read(AT_FDCWD, path, FILE_MAX, &data, &length, NULL))
        return taken;
    for (const char *at = data, *end = data + length; at < end;) {
        const char *mark = at + strlen(at) + 1;
        if (mark >= end)
            break;
        g_hash_table_replace(taken->marks, g_strdup(at), g_strdup(mark));
        at = mark + strlen(mark) + 1;
    }
    return taken;
}

void branch_taken_free(branch_taken *self)
{
    if (!self)
        return;
    g_hash_table_unref(self->marks);
    g_free(self);
}

gboolean branch_taken_has(const branch_taken *self, const char *path, const struct stat *st)
{
    const char *mark = g_hash_table_lookup(self->marks, path);
    g_autofree char *now = mark_of(st);
    return mark && strcmp(mark, now) == 0;
}

void branch_taken_add(branch_taken *self, const char *path, const struct stat *st)
{
    g_hash_table_replace(self->marks, g_strdup(path), mark_of(st));
}

gboolean branch_taken_write(const branch_taken *self, const struct box *of, GError **error)
{
    g_autofree char *file = g_build_filename(of->data, FILE_NAME, NULL);
    g_autoptr(GString) text = g_string_new(NULL);
    GHashTableIter each;
    gpointer path, mark;
    g_hash_table_iter_init(&each, self->marks);
    while (g_hash_table_iter_next(&each, &path, &mark)) {
        g_string_append_len(text, path, (gssize)strlen(path) + 1);
        g_string_append_len(text, mark, (gssize)strlen(mark) + 1);
    }
    return fs_write(file, text->str, (gssize)text->len, 0600, error);
}
