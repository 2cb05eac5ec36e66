#include "box/registry/branch_upper.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/text.h"

gboolean branch_upper_is_whiteout(const struct stat *st)
{
    return S_ISCHR(st->st_mode) && st->st_rdev == 0;
}

static gboolean is_opaque(int fd)
{
    char value[2];
    ssize_t length = fgetxattr(fd, "user.overlay.opaque", value, sizeof value);
    return length == 1 && value[0] == 'y';
}

gboolean branch_upper_hides(const branch_copied *copied, int fd)
{
    return !copied && is_opaque(fd);
}

static GPtrArray *names_of_overlay(int fd, GPtrArray *gone)
{
    g_autoptr(GPtrArray) devices = g_ptr_array_new_with_free_func(g_free);
    GPtrArray *names = fs_list_names(fd, devices);
    for (guint i = 0; names && i < devices->len; i++) {
        struct stat st;
        if (fstatat(fd, devices->pdata[i], &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            branch_upper_is_whiteout(&st))
            g_ptr_array_add(gone, g_strdup(devices->pdata[i]));
    }
    return names;
}

/* What is not there any more has no name in FD. */
static void add_missing(const branch_copied *copied, const char *path, GHashTable *there,
                        GPtrArray *names, GPtrArray *gone)
{
    const GPtrArray *all = branch_copied_names(copied, path);
    for (guint i = 0; all && i < all->len; i++) {
        if (g_hash_table_contains(there, all->pdata[i]))
            continue;
        g_ptr_array_add(names, g_strdup(all->pdata[i]));
        g_ptr_array_add(gone, g_strdup(all->pdata[i]));
    }
}

static GPtrArray *names_of_copy(const branch_copied *copied, int fd, const char *path,
                                GPtrArray *gone)
{
    g_autoptr(GPtrArray) all = fs_list_names(fd, NULL);
    g_autoptr(GHashTable) there = g_hash_table_new(g_str_hash, g_str_equal);
    if (!all)
        return NULL;
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < all->len; i++) {
        struct stat st;
        const char *name = all->pdata[i];
        g_autofree char *each = fs_join(path, name);
        const copied_entry *entry = branch_copied_find(copied, each);
        if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        g_hash_table_add(there, (gpointer)name);
        if (S_ISDIR(st.st_mode) || !entry || !copied_entry_is(entry, &st))
            g_ptr_array_add(names, g_strdup(name));
    }
    add_missing(copied, path, there, names, gone);
    g_ptr_array_sort(names, text_compare);
    return names;
}

GPtrArray *branch_upper_names(const branch_copied *copied, int fd, const char *path,
                              GPtrArray *gone)
{
    GPtrArray *names = copied ? names_of_copy(copied, fd, path, gone) : names_of_overlay(fd, gone);
    g_ptr_array_sort(gone, text_compare);
    return names;
}

/* FOUND gets what is the branch's in the folder IN, and GONE, too, the whiteouts among it. */
static void list_folder(const branch_copied *copied, int top, const char *in, GQueue *folders,
                        GPtrArray *found, GPtrArray *gone)
{
    int fd = fs_open_beneath(top, *in ? in : ".", O_RDONLY | O_DIRECTORY, 0);
    g_autoptr(GPtrArray) names = fd < 0 ? NULL : branch_upper_names(copied, fd, in, gone);
    if (names && *in && branch_upper_hides(copied, fd))
        g_ptr_array_add(found, g_strdup(in));
    for (guint i = 0; names && i < names->len; i++) {
        struct stat st;
        char *path = fs_join(in, names->pdata[i]);
        if (fstatat(fd, names->pdata[i], &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode))
            g_queue_push_tail(folders, path);
        else
            g_ptr_array_add(found, path);
    }
    if (fd >= 0)
        close(fd);
}

/* IS_ENOUGH: ends with the first, which WITH_GONE may be a whiteout. TRUE when it has ended so. */
static gboolean list_below(const branch_copied *copied, int top, const char *in, gboolean is_enough,
                           gboolean with_gone, GPtrArray *found)
{
    GQueue folders = G_QUEUE_INIT;
    gboolean done = FALSE;
    g_queue_push_tail(&folders, g_strdup(in));
    for (char *path; (path = g_queue_pop_head(&folders));) {
        g_autoptr(GPtrArray) gone = g_ptr_array_new_with_free_func(g_free);
        guint before = found->len;
        if (!done)
            list_folder(copied, top, path, &folders, found, gone);
        done |= is_enough && found->len > before + (with_gone ? 0 : gone->len);
        g_free(path);
    }
    return done;
}

void branch_upper_list(const branch_copied *copied, int top, const char *in, GPtrArray *found)
{
    list_below(copied, top, in, FALSE, TRUE, found);
}

gboolean branch_upper_has(const branch_copied *copied, int top, const char *in, gboolean with_gone)
{
    g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(g_free);
    return list_below(copied, top, in, TRUE, with_gone, found);
}

/* TRUE when UPPER has nothing at PATH, nor on the way to it, that hides what is below. */
static gboolean shows_lower(int upper, const char *path)
{
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);
    g_autoptr(GString) at = g_string_new(NULL);
    for (char **part = parts; *part; part++) {
        g_string_append_printf(at, "%s%s", at->len ? "/" : "", *part);
        int fd = fs_open_beneath(upper, at->str, O_RDONLY | O_DIRECTORY, 0);
        if (fd < 0)
            return errno == ENOENT;
        gboolean hides = is_opaque(fd);
        close(fd);
        if (hides)
            return FALSE;
    }
    return TRUE;
}

static char *read_file(int folder, const char *path, gsize max)
{
    char *data = NULL;
    int fd = fs_open_beneath(folder, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    if (fd < 0)
        return NULL;
    if (!fs_read_fd(fd, "file", max, &data, NULL, NULL))
        data = NULL;
    close(fd);
    return data;
}

char *branch_upper_read_text(const branch_copied *copied, int upper, int lower, const char *path,
                             gsize max)
{
    char *text = upper < 0 ? NULL : read_file(upper, path, max);
    gboolean is_all = upper >= 0 && (copied || !shows_lower(upper, path));
    return text || is_all ? text : read_file(lower, path, max);
}
