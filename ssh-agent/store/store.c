#include "ssh-agent/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/text.h"
#include "ssh-agent/store/error.h"
#include "ssh-agent/store/store_private.h"

enum { SUBKEY_CHECK = 1, SUBKEY_MAC, SUBKEY_RECORD };
#define SUBKEY_CONTEXT "boxstore"

G_STATIC_ASSERT(KDF_KEY == crypto_kdf_KEYBYTES);

static gboolean G_GNUC_PRINTF(4, 5)
    fail(GError **error, const char *path, key_error code, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    g_autofree char *why = g_strdup_vprintf(format, values);
    va_end(values);
    g_autofree char *safe = text_safe(path, -1);
    g_set_error(error, KEY_ERROR, code, "the key store '%s' %s", safe, why);
    return FALSE;
}

int store_claim(const char *path, void (*waited)(const char *path), GError **error)
{
    g_autofree char *folder = g_path_get_dirname(path);
    g_autofree char *lock = g_strconcat(path, ".lock", NULL);
    return fs_make_folder(folder, 0700, error) ? fs_lock(lock, waited, error) : -1;
}

/* A folder that others may write lets them put another file there. */
static gboolean check_folder(int fd, const char *path, GError **error)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return fail(error, path, KEY_ERROR_MISSING, "cannot be reached: %s", g_strerror(errno));
    if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
        return fail(error, path, KEY_ERROR_UNSAFE,
                    "is in a folder that others may write; 'chmod go-w' on the folder that is "
                    "yours changes that");
    return TRUE;
}

static gboolean check_file(int fd, const char *path, GError **error)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return fail(error, path, KEY_ERROR_FAILED, "cannot be looked at: %s", g_strerror(errno));
    if (!S_ISREG(st.st_mode))
        return fail(error, path, KEY_ERROR_UNSAFE, "is no regular file");
    if (st.st_uid != geteuid())
        return fail(error, path, KEY_ERROR_UNSAFE, "belongs to another user, so it is not read");
    if (st.st_mode & 077)
        return fail(error, path, KEY_ERROR_UNSAFE,
                    "may be read or written by others, so it is not used: 'chmod 600' it; if "
                    "others can have read it, change its password (box keys passwd)");
    return TRUE;
}

static void cannot_open(const char *path, GError **error)
{
    if (errno == ENOENT || errno == ENOTDIR)
        g_set_error(error, KEY_ERROR, KEY_ERROR_MISSING,
                    "there is no key store yet; 'box keys generate NAME' makes one");
    else if (errno == ELOOP)
        fail(error, path, KEY_ERROR_UNSAFE, "is a symbolic link, which is not followed");
    else
        fail(error, path, KEY_ERROR_FAILED, "cannot be opened: %s", g_strerror(errno));
}

/* In the very folder that was looked at. */
static int open_file(const char *path, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path);
    int dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1;
    if (dir >= 0)
        fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        cannot_open(path, error);
    gboolean good = fd >= 0 && check_folder(dir, path, error) && check_file(fd, path, error);
    if (dir >= 0)
        close(dir);
    if (good || fd < 0)
        return fd;
    close(fd);
    return -1;
}

static GBytes *read_file(const char *path, GError **error)
{
    char *data;
    gsize length;
    int fd = open_file(path, error);
    if (fd < 0)
        return NULL;
    gboolean good = fs_read_fd(fd, path, FORMAT_MAX, &data, &length, error);
    close(fd);
    return good ? g_bytes_new_take(data, length) : NULL;
}

store *store_open(const char *path, GError **error)
{
    g_autoptr(store) self = g_new0(store, 1);
    g_autoptr(GError) why = NULL;
    self->path = g_strdup(path);
    format_index_init(&self->index);
    self->file = sodium_init() < 0 ? NULL : read_file(path, error);
    if (!self->file)
        return NULL;
    gsize length;
    const guint8 *data = g_bytes_get_data(self->file, &length);
    if (!format_read(&self->index, data, length, &why)) {
        fail(error, path, why->code, "%s", why->message);
        return NULL;
    }
    return g_steal_pointer(&self);
}

void store_free(store *self)
{
    if (!self)
        return;
    store_lock(self);
    format_index_clear(&self->index);
    g_clear_pointer(&self->file, g_bytes_unref);
    g_free(self->path);
    g_free(self);
}

void store_lock(store *self)
{
    g_clear_pointer(&self->check_key, secret_free);
    g_clear_pointer(&self->mac_key, secret_free);
    g_clear_pointer(&self->record_key, secret_free);
}

gboolean store_is_locked(const store *self)
{
    return !self->record_key;
}

gboolean store_need_unlocked(const store *self, GError **error)
{
    if (!store_is_locked(self))
        return TRUE;
    g_set_error(error, KEY_ERROR, KEY_ERROR_LOCKED, "the key store is locked");
    return FALSE;
}

static secret *subkey(const secret *master, guint64 number)
{
    secret *key = secret_new(KDF_KEY);
    crypto_kdf_derive_from_key(key->data, key->length, number, SUBKEY_CONTEXT, master->data);
    return key;
}

gboolean store_derive(store *self, const secret *password, GError **error)
{
    g_autoptr(secret) master = kdf_derive(password, self->index.salt, &self->index.cost, error);
    if (!master)
        return FALSE;
    store_lock(self);
    self->check_key = subkey(master, SUBKEY_CHECK);
    self->mac_key = subkey(master, SUBKEY_MAC);
    self->record_key = subkey(master, SUBKEY_RECORD);
    return TRUE;
}

gboolean store_unlock(store *self, const secret *password, GError **error)
{
    guint8 hash[FORMAT_HASH];
    gsize length;
    if (!self->file)
        return store_need_unlocked(self, error);
    const guint8 *data = g_bytes_get_data(self->file, &length);

    if (!store_derive(self, password, error))
        return FALSE;
    format_check(data, self->check_key, hash);
    gboolean right = sodium_memcmp(hash, FORMAT_CHECK(data), sizeof hash) == 0;
    format_mac(data, length, self->mac_key, hash);
    if (right && sodium_memcmp(hash, FORMAT_MAC(data, length), sizeof hash) == 0)
        return TRUE;
    store_lock(self);
    if (!right)
        g_set_error(error, KEY_ERROR, KEY_ERROR_PASSWORD, "the key store's password is wrong");
    else
        fail(error, self->path, KEY_ERROR_TAMPERED,
             "was changed by someone who does not have its password; nothing of it is used: put a "
             "copy back that you trust");
    return FALSE;
}

guint store_count(const store *self)
{
    return self->index.records->len;
}

store_entry store_entry_at(const store *self, guint index)
{
    const format_record *record = self->index.records->pdata[index];
    return (store_entry){record->name, &record->key, (gint64)record->created};
}

int store_find(const store *self, const char *name, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (guint i = 0; i < store_count(self); i++) {
        char fingerprint[SSH_FINGERPRINT_SIZE];
        store_entry entry = store_entry_at(self, i);
        ssh_key_fingerprint(entry.key, fingerprint);
        if (strcmp(entry.name, name) == 0 || strcmp(fingerprint, name) == 0)
            return (int)i;
        g_ptr_array_add(names, (gpointer)entry.name);
    }
    g_ptr_array_add(names, NULL);
    g_autofree char *safe = text_safe(name, -1);
    const char *near = text_nearest(name, (const char *const *)names->pdata);
    g_set_error(error, KEY_ERROR, KEY_ERROR_MISSING,
                near ? "there is no key '%s'; did you mean '%s'?" : "there is no key '%s'", safe,
                near);
    return -1;
}
