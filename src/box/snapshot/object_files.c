#include "box/snapshot/object_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/error.h"
#include "common/fs.h"

void object_id_of(const void *data, gsize length, object_id *id)
{
    crypto_generichash(id->bytes, sizeof id->bytes, data, length, NULL, 0);
}

void object_id_print(const object_id *id, char text[OBJECT_ID_TEXT])
{
    sodium_bin2hex(text, OBJECT_ID_TEXT, id->bytes, sizeof id->bytes);
}

gboolean object_id_scan(const char *text, object_id *id)
{
    size_t got = 0;
    return strlen(text) == OBJECT_ID_TEXT - 1 &&
           sodium_hex2bin(id->bytes, sizeof id->bytes, text, OBJECT_ID_TEXT - 1, NULL, &got,
                          NULL) == 0 &&
           got == sizeof id->bytes;
}

guint object_id_hash(gconstpointer id)
{
    guint hash;
    memcpy(&hash, id, sizeof hash);
    return hash;
}

gboolean object_id_equal(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(object_id)) == 0;
}

/* "AB/CDEF…" */
#define PATH_SIZE (OBJECT_ID_TEXT + 1)
#define DAMAGED ".damaged"

static void print_path(const object_id *id, char path[PATH_SIZE])
{
    char name[OBJECT_ID_TEXT];
    object_id_print(id, name);
    snprintf(path, PATH_SIZE, "%.2s/%s", name, name + 2);
}

/* An open folder of NAME in the folder FD, for reading. NULL with errno. */
static DIR *read_folder(int fd, const char *name)
{
    int in = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = in < 0 ? NULL : fdopendir(in);
    if (!folder && in >= 0)
        close(in);
    return folder;
}

static gboolean is_dot(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static void empty_staging(const object_files *self)
{
    DIR *folder = read_folder(self->staging, ".");
    if (!folder)
        return;
    for (struct dirent *entry; (entry = readdir(folder));)
        if (!is_dot(entry->d_name))
            unlinkat(self->staging, entry->d_name, 0);
    closedir(folder);
}

static int open_folder(const char *path, GError **error)
{
    if (!fs_make_folder(path, 0700, error))
        return -1;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        g_set_error(error, BOX_ERROR, BOX_ERROR_FAILED, "cannot open '%s': %s", path,
                    g_strerror(errno));
    return fd;
}

gboolean object_files_open(object_files *self, const char *top, void (*waited)(const char *path),
                           GError **error)
{
    g_autofree char *objects = g_build_filename(top, "objects", NULL);
    g_autofree char *staging = g_build_filename(top, "staging", NULL);
    g_autofree char *lock = g_build_filename(top, ".lock", NULL);
    *self = (object_files){-1, -1, -1};
    if (fs_make_folder(top, 0700, error) && (self->lock = fs_lock(lock, waited, error)) >= 0 &&
        (self->objects = open_folder(objects, error)) >= 0 &&
        (self->staging = open_folder(staging, error)) >= 0) {
        empty_staging(self);
        return TRUE;
    }
    object_files_close(self);
    return FALSE;
}

void object_files_close(object_files *self)
{
    if (self->staging >= 0) {
        empty_staging(self);
        close(self->staging);
    }
    if (self->objects >= 0)
        close(self->objects);
    if (self->lock >= 0)
        close(self->lock);
}

gboolean object_files_has(const object_files *self, const object_id *id)
{
    char path[PATH_SIZE];
    print_path(id, path);
    return faccessat(self->objects, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

int object_files_read(const object_files *self, const object_id *id)
{
    char path[PATH_SIZE];
    print_path(id, path);
    return openat(self->objects, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
}

void object_files_set_aside(const object_files *self, const object_id *id)
{
    char path[PATH_SIZE], aside[PATH_SIZE + sizeof DAMAGED];
    print_path(id, path);
    snprintf(aside, sizeof aside, "%s" DAMAGED, path);
    (void)renameat(self->objects, path, self->objects, aside); /* or it is set aside again */
}

int object_files_create(const object_files *self, const char *name)
{
    return openat(self->staging, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
}

int object_files_name(const object_files *self, const char *part, const object_id *id)
{
    char name[OBJECT_ID_TEXT];
    object_id_print(id, name);
    return renameat(self->staging, part, self->staging, name);
}

static gboolean publish_one(const object_files *self, const object_id *id)
{
    char path[PATH_SIZE], name[OBJECT_ID_TEXT], folder[3];
    print_path(id, path);
    object_id_print(id, name);
    if (renameat(self->staging, name, self->objects, path) == 0)
        return TRUE;
    snprintf(folder, sizeof folder, "%.2s", name);
    return errno == ENOENT && (mkdirat(self->objects, folder, 0700) == 0 || errno == EEXIST) &&
           renameat(self->staging, name, self->objects, path) == 0;
}

/* Contents come before names: whoever finds an object may rely on it, also after a power cut. */
gboolean object_files_publish(const object_files *self, GHashTable *ids)
{
    GHashTableIter each;
    gpointer id;
    if (!g_hash_table_size(ids))
        return TRUE;
    if (syncfs(self->staging) < 0)
        return FALSE;
    g_hash_table_iter_init(&each, ids);
    while (g_hash_table_iter_next(&each, &id, NULL))
        if (!publish_one(self, id))
            return FALSE;
    return syncfs(self->objects) == 0;
}

/* One of the folders "AB". */
static gboolean collect_folder(const object_files *self, const char *name, GHashTable *used,
                               gboolean dry, guint64 *freed)
{
    gboolean done = TRUE;
    DIR *folder = read_folder(self->objects, name);
    if (!folder)
        return errno == ENOTDIR;
    for (struct dirent *entry; (entry = readdir(folder));) {
        object_id id;
        struct stat st;
        g_autofree char *text = g_strconcat(name, entry->d_name, NULL);
        if (is_dot(entry->d_name) ||
            (object_id_scan(text, &id) && g_hash_table_contains(used, &id)))
            continue;
        if (fstatat(dirfd(folder), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            (dry || unlinkat(dirfd(folder), entry->d_name, 0) == 0))
            *freed += (guint64)st.st_blocks * 512;
        else
            done = FALSE;
    }
    closedir(folder);
    return done;
}

gboolean object_files_collect(const object_files *self, GHashTable *used, gboolean dry,
                              guint64 *freed)
{
    gboolean done = TRUE;
    DIR *folder = read_folder(self->objects, ".");
    *freed = 0;
    if (!folder)
        return FALSE;
    for (struct dirent *entry; (entry = readdir(folder));)
        if (!is_dot(entry->d_name))
            done = collect_folder(self, entry->d_name, used, dry, freed) && done;
    closedir(folder);
    return done;
}
