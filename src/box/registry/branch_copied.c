#include "box/registry/branch_copied.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/fs.h"
#include "plan/plan.h"

#define COPIED_MAX (512 << 20)

struct branch_copied {
    GHashTable *entries; /* path -> copied_entry */
    GHashTable *folders; /* path -> GPtrArray of names, which point into ENTRIES */
};

static char *copied_file(const struct box *self, int layer)
{
    return g_build_filename(self->data, PLAN_DATA_COPIES, plan_layer_names[layer], NULL);
}

static void names_free(gpointer names)
{
    g_ptr_array_unref(names);
}

branch_copied *branch_copied_new(void)
{
    branch_copied *self = g_new0(branch_copied, 1);
    self->entries = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    self->folders = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, names_free);
    return self;
}

void branch_copied_free(branch_copied *self)
{
    if (!self)
        return;
    g_hash_table_unref(self->folders);
    g_hash_table_unref(self->entries);
    g_free(self);
}

gboolean branch_copied_is(const struct box *self, int layer)
{
    g_autofree char *file = copied_file(self, layer);
    return access(file, F_OK) == 0;
}

const copied_entry *branch_copied_find(const branch_copied *self, const char *path)
{
    return g_hash_table_lookup(self->entries, path);
}

const GPtrArray *branch_copied_names(const branch_copied *self, const char *path)
{
    return g_hash_table_lookup(self->folders, path);
}

void branch_copied_add(branch_copied *self, const char *path, const copied_entry *entry)
{
    char *key = g_strdup(path), *slash = strrchr(key, '/');
    /* Keeps the key that is there, and FOLDERS points into. */
    if (!g_hash_table_insert(self->entries, key, g_memdup2(entry, sizeof *entry)))
        return;
    g_autofree char *folder = slash ? g_strndup(key, (gsize)(slash - key)) : g_strdup("");
    GPtrArray *names = g_hash_table_lookup(self->folders, folder);
    if (!names) {
        names = g_ptr_array_new();
        g_hash_table_insert(self->folders, g_steal_pointer(&folder), names);
    }
    g_ptr_array_add(names, slash ? slash + 1 : key);
}

static gboolean is_same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

gboolean copied_entry_is(const copied_entry *entry, const struct stat *st)
{
    if (S_ISDIR(entry->mode))
        return S_ISDIR(st->st_mode);
    return entry->mode == st->st_mode && entry->inode == st->st_ino && entry->size == st->st_size &&
           is_same_time(&entry->changed, &st->st_ctim);
}

gboolean copied_entry_is_of(const copied_entry *entry, const struct stat *host)
{
    return (entry->mode & S_IFMT) == (host->st_mode & S_IFMT) &&
           entry->host_inode == host->st_ino && is_same_time(&entry->host_changed, &host->st_ctim);
}

void branch_copied_carry(branch_copied *self, const branch_copied *old, const char *path)
{
    const copied_entry *entry = branch_copied_find(old, path);
    const GPtrArray *names = branch_copied_names(old, path);
    if (entry)
        branch_copied_add(self, path, entry);
    for (guint i = 0; names && i < names->len; i++) {
        g_autofree char *each = fs_join(path, names->pdata[i]);
        branch_copied_carry(self, old, each);
    }
}

/* The file. */

static gboolean parse_entry(const char *text, copied_entry *entry)
{
    long long changed, host_changed;
    if (sscanf(text,
               "%o %" G_GUINT64_FORMAT " %" G_GINT64_FORMAT " %lld.%9ld %" G_GUINT64_FORMAT
               " %lld.%9ld",
               &entry->mode, &entry->inode, &entry->size, &changed, &entry->changed.tv_nsec,
               &entry->host_inode, &host_changed, &entry->host_changed.tv_nsec) != 8)
        return FALSE;
    entry->changed.tv_sec = (time_t)changed;
    entry->host_changed.tv_sec = (time_t)host_changed;
    return TRUE;
}

static gboolean parse_list(branch_copied *self, const char *data, gsize length)
{
    for (const char *at = data, *end = data + length; at < end;) {
        const char *text = at + strlen(at) + 1;
        copied_entry entry = {0};
        if (text >= end || !parse_entry(text, &entry))
            return FALSE;
        branch_copied_add(self, at, &entry);
        at = text + strlen(text) + 1;
    }
    return TRUE;
}

branch_copied *branch_copied_read(const struct box *of, int layer, GError **error)
{
    g_autoptr(branch_copied) self = branch_copied_new();
    g_autofree char *file = copied_file(of, layer), *data = NULL;
    gsize length = 0;
    if (!branch_copied_is(of, layer) || !fs_read(AT_FDCWD, file, COPIED_MAX, &data, &length, error))
        return NULL;
    if (parse_list(self, data, length))
        return g_steal_pointer(&self);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "'%s' cannot be read", file);
    return NULL;
}

gboolean branch_copied_write(const branch_copied *self, const struct box *of, int layer,
                             GError **error)
{
    g_autofree char *file = copied_file(of, layer);
    g_autoptr(GString) text = g_string_new(NULL);
    GHashTableIter each;
    gpointer path, value;
    g_hash_table_iter_init(&each, self->entries);
    while (g_hash_table_iter_next(&each, &path, &value)) {
        const copied_entry *entry = value;
        g_string_append_len(text, path, (gssize)strlen(path) + 1);
        g_string_append_printf(text,
                               "%o %" G_GUINT64_FORMAT " %" G_GINT64_FORMAT
                               " %lld.%09ld %" G_GUINT64_FORMAT " %lld.%09ld",
                               entry->mode, entry->inode, entry->size,
                               (long long)entry->changed.tv_sec, entry->changed.tv_nsec,
                               entry->host_inode, (long long)entry->host_changed.tv_sec,
                               entry->host_changed.tv_nsec);
        g_string_append_c(text, '\0');
    }
    if (text->len <= COPIED_MAX)
        return fs_write(file, text->str, (gssize)text->len, 0600, error);
    g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "there are too many files to be copied: %u",
                g_hash_table_size(self->entries));
    return FALSE;
}
