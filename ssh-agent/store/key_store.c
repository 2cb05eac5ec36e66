#include "ssh-agent/store/key_store.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/fs.h"
#include "common/text.h"
#include "ssh-agent/store/key_error.h"
#include "ssh-agent/store/key_store_file.h"

struct key_store {
    char *path;
    GBytes *file; /* as it was read; NULL for a new key_store */
    key_store_file index;
    secret *check_key, *mac_key, *record_key; /* NULL while locked */
};

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

int key_store_lock_file(const char *path, void (*waited)(const char *path), GError **error)
{
    g_autofree char *folder = g_path_get_dirname(path);
    g_autofree char *lock = g_strconcat(path, ".lock", NULL);
    return fs_make_folder(folder, 0700, error) ? fs_lock(lock, waited, error) : -1;
}

/* Other users who can write to the folder could replace the file. */
static gboolean check_folder(int fd, const char *path, GError **error)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return fail(error, path, KEY_ERROR_MISSING, "cannot be reached: %s", g_strerror(errno));
    if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
        return fail(error, path, KEY_ERROR_UNSAFE,
                    "is in a folder that others can write to: make it your own, and 'chmod go-w' "
                    "it");
    return TRUE;
}

static gboolean check_file(int fd, const char *path, GError **error)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return fail(error, path, KEY_ERROR_FAILED, "cannot be inspected: %s", g_strerror(errno));
    if (!S_ISREG(st.st_mode))
        return fail(error, path, KEY_ERROR_UNSAFE, "is not a regular file");
    if (st.st_uid != geteuid())
        return fail(error, path, KEY_ERROR_UNSAFE, "belongs to another user, so it is not read");
    if (st.st_mode & 077)
        return fail(error, path, KEY_ERROR_UNSAFE,
                    "can be read or written by others, so it is not used: 'chmod 600' it, and if "
                    "others may have read it, change its password (box keys passwd)");
    return TRUE;
}

static void cannot_open(const char *path, GError **error)
{
    if (errno == ENOENT || errno == ENOTDIR)
        g_set_error(error, KEY_ERROR, KEY_ERROR_MISSING,
                    "no key store yet; 'box keys generate NAME' creates one");
    else if (errno == ELOOP)
        fail(error, path, KEY_ERROR_UNSAFE, "is a symbolic link, which is not followed");
    else
        fail(error, path, KEY_ERROR_FAILED, "cannot be opened: %s", g_strerror(errno));
}

/* Opens the file relative to the folder's descriptor, so that the folder that is checked is the one
 * that is used. */
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
    gboolean good = fs_read_fd(fd, path, KEY_STORE_FILE_MAX, &data, &length, error);
    close(fd);
    return good ? g_bytes_new_take(data, length) : NULL;
}

key_store *key_store_open(const char *path, GError **error)
{
    g_autoptr(key_store) self = g_new0(key_store, 1);
    g_autoptr(GError) why = NULL;
    self->path = g_strdup(path);
    key_store_file_init(&self->index);
    self->file = sodium_init() < 0 ? NULL : read_file(path, error);
    if (!self->file)
        return NULL;
    gsize length;
    const guint8 *data = g_bytes_get_data(self->file, &length);
    if (!key_store_file_parse(&self->index, data, length, &why)) {
        fail(error, path, why->code, "%s", why->message);
        return NULL;
    }
    return g_steal_pointer(&self);
}

void key_store_free(key_store *self)
{
    if (!self)
        return;
    key_store_lock(self);
    key_store_file_clear(&self->index);
    g_clear_pointer(&self->file, g_bytes_unref);
    g_free(self->path);
    g_free(self);
}

void key_store_lock(key_store *self)
{
    g_clear_pointer(&self->check_key, secret_free);
    g_clear_pointer(&self->mac_key, secret_free);
    g_clear_pointer(&self->record_key, secret_free);
}

gboolean key_store_is_locked(const key_store *self)
{
    return !self->record_key;
}

static gboolean need_unlocked(const key_store *self, GError **error)
{
    if (!key_store_is_locked(self))
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

static gboolean derive_subkeys(key_store *self, const secret *password, GError **error)
{
    g_autoptr(secret) master = kdf_derive(password, self->index.salt, &self->index.cost, error);
    if (!master)
        return FALSE;
    key_store_lock(self);
    self->check_key = subkey(master, SUBKEY_CHECK);
    self->mac_key = subkey(master, SUBKEY_MAC);
    self->record_key = subkey(master, SUBKEY_RECORD);
    return TRUE;
}

gboolean key_store_unlock(key_store *self, const secret *password, GError **error)
{
    guint8 hash[KEY_STORE_HASH];
    gsize length;
    if (!self->file)
        return need_unlocked(self, error);
    const guint8 *data = g_bytes_get_data(self->file, &length);

    if (!derive_subkeys(self, password, error))
        return FALSE;
    key_store_file_check(data, self->check_key, hash);
    gboolean right = sodium_memcmp(hash, KEY_STORE_FILE_CHECK(data), sizeof hash) == 0;
    key_store_file_mac(data, length, self->mac_key, hash);
    if (right && sodium_memcmp(hash, KEY_STORE_FILE_MAC(data, length), sizeof hash) == 0)
        return TRUE;
    key_store_lock(self);
    if (!right)
        g_set_error(error, KEY_ERROR, KEY_ERROR_PASSWORD, "the key store's password is wrong");
    else
        fail(error, self->path, KEY_ERROR_TAMPERED,
             "was changed by someone who does not have its password, so nothing in it is used: "
             "restore a copy that you trust");
    return FALSE;
}

guint key_store_count(const key_store *self)
{
    return self->index.records->len;
}

key_store_entry key_store_entry_at(const key_store *self, guint index)
{
    const key_store_record *record = self->index.records->pdata[index];
    return (key_store_entry){record->name, &record->key, (gint64)record->created};
}

int key_store_find(const key_store *self, const char *name, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (guint i = 0; i < key_store_count(self); i++) {
        char fingerprint[SSH_FINGERPRINT_SIZE];
        key_store_entry entry = key_store_entry_at(self, i);
        ssh_key_fingerprint(entry.key, fingerprint);
        if (strcmp(entry.name, name) == 0 || strcmp(fingerprint, name) == 0)
            return (int)i;
        g_ptr_array_add(names, (gpointer)entry.name);
    }
    g_ptr_array_add(names, NULL);
    g_autofree char *safe = text_safe(name, -1);
    const char *near = text_nearest(name, (const char *const *)names->pdata);
    g_set_error(error, KEY_ERROR, KEY_ERROR_MISSING,
                near ? "no key '%s'; did you mean '%s'?" : "no key '%s'", safe, near);
    return -1;
}

static struct ssh_span span_of(const secret *bytes)
{
    return (struct ssh_span){bytes->data, bytes->length};
}

private_key *key_store_load_key(const key_store *self, guint index, GError **error)
{
    const key_store_record *record = self->index.records->pdata[index];
    g_autoptr(secret) blob = need_unlocked(self, error)
                                 ? key_store_record_unseal(record, self->record_key, error)
                                 : NULL;
    g_autoptr(private_key) found = blob ? private_key_from_blob(span_of(blob), error) : NULL;
    if (found && !ssh_span_equal(private_key_public(found)->blob, record->key.blob)) {
        g_set_error(error, KEY_ERROR, KEY_ERROR_TAMPERED, "the key '%s' cannot be decrypted",
                    record->name);
        return NULL;
    }
    return g_steal_pointer(&found);
}

gboolean key_store_check_name(const char *name, GError **error)
{
    g_autofree char *safe = text_safe(name, -1);
    if (key_store_name_is_valid(name))
        return TRUE;
    g_set_error(error, KEY_ERROR, KEY_ERROR_KIND,
                "'%s' is not a valid name for a key: use 1 to %d letters, digits and . _ @ + -",
                safe, KEY_STORE_NAME_MAX);
    return FALSE;
}

static gboolean name_is_free(const key_store *self, const char *name, GError **error)
{
    g_autofree char *safe = text_safe(name, -1);
    if (!key_store_check_name(name, error))
        return FALSE;
    for (guint i = 0; i < key_store_count(self); i++) {
        if (strcmp(key_store_entry_at(self, i).name, name) == 0) {
            g_set_error(error, KEY_ERROR, KEY_ERROR_TAKEN, "a key named '%s' already exists", safe);
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean key_is_new(const key_store *self, struct ssh_span blob, GError **error)
{
    if (key_store_count(self) >= KEY_STORE_KEYS_MAX) {
        g_set_error(error, KEY_ERROR, KEY_ERROR_FAILED, "the key store is full: it holds %d keys",
                    KEY_STORE_KEYS_MAX);
        return FALSE;
    }
    for (guint i = 0; i < key_store_count(self); i++) {
        key_store_entry entry = key_store_entry_at(self, i);
        if (ssh_span_equal(entry.key->blob, blob)) {
            g_set_error(error, KEY_ERROR, KEY_ERROR_TAKEN,
                        "the store already has this key, as '%s'", entry.name);
            return FALSE;
        }
    }
    return TRUE;
}

gboolean key_store_add(key_store *self, const char *name, const private_key *added, GError **error)
{
    struct ssh_span blob = private_key_public(added)->blob;
    if (!need_unlocked(self, error) || !name_is_free(self, name, error) ||
        !key_is_new(self, blob, error))
        return FALSE;
    key_store_record *record = g_new0(key_store_record, 1);
    record->name = g_strdup(name);
    record->public = g_bytes_new(blob.data, blob.length);
    record->sealed = g_bytes_new(NULL, 0);
    record->created = (guint64)MAX(time(NULL), 0);
    gsize length;
    const guint8 *copy = g_bytes_get_data(record->public, &length);
    g_assert(ssh_key_parse(&record->key, (struct ssh_span){copy, length}));
    key_store_record_seal(record, self->record_key, private_key_blob(added));
    g_ptr_array_add(self->index.records, record);
    return TRUE;
}

gboolean key_store_rename(key_store *self, guint index, const char *name, GError **error)
{
    key_store_record *record = self->index.records->pdata[index];
    g_autoptr(secret) blob = need_unlocked(self, error) && name_is_free(self, name, error)
                                 ? key_store_record_unseal(record, self->record_key, error)
                                 : NULL;
    if (!blob)
        return FALSE;
    g_free(record->name);
    record->name = g_strdup(name);
    key_store_record_seal(record, self->record_key, span_of(blob));
    return TRUE;
}

gboolean key_store_delete(key_store *self, guint index, GError **error)
{
    if (!need_unlocked(self, error))
        return FALSE;
    g_ptr_array_remove_index(self->index.records, index);
    return TRUE;
}

gboolean key_store_set_password(key_store *self, const secret *password, const kdf_cost *cost,
                                GError **error)
{
    g_autoptr(GPtrArray) blobs = g_ptr_array_new_with_free_func((GDestroyNotify)secret_free);
    if (!need_unlocked(self, error))
        return FALSE;
    for (guint i = 0; i < key_store_count(self); i++) {
        secret *blob =
            key_store_record_unseal(self->index.records->pdata[i], self->record_key, error);
        if (!blob)
            return FALSE;
        g_ptr_array_add(blobs, blob);
    }
    self->index.cost = *cost;
    randombytes_buf(self->index.salt, KDF_SALT);
    if (!derive_subkeys(self, password, error)) {
        key_store_lock(self); /* the subkeys do not belong to the new salt */
        return FALSE;
    }
    for (guint i = 0; i < key_store_count(self); i++)
        key_store_record_seal(self->index.records->pdata[i], self->record_key,
                              span_of(blobs->pdata[i]));
    return TRUE;
}

key_store *key_store_create(const char *path, const secret *password, const kdf_cost *cost,
                            GError **error)
{
    g_autoptr(key_store) self = g_new0(key_store, 1);
    self->path = g_strdup(path);
    key_store_file_init(&self->index);
    self->index.cost = *cost;
    randombytes_buf(self->index.salt, KDF_SALT);
    return derive_subkeys(self, password, error) ? g_steal_pointer(&self) : NULL;
}

gboolean key_store_save(key_store *self, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(self->path);
    if (!need_unlocked(self, error))
        return FALSE;
    g_autoptr(GByteArray) file =
        key_store_file_serialize(&self->index, self->check_key, self->mac_key);
    if (!file) {
        g_set_error(error, KEY_ERROR, KEY_ERROR_FAILED, "the key store would be too large");
        return FALSE;
    }
    if (!fs_make_folder(folder, 0700, error) ||
        !fs_write(self->path, (const char *)file->data, file->len, 0600, error))
        return FALSE;
    /* A save that was killed must not keep a key that this one has removed. */
    fs_remove_temporary(folder);
    g_clear_pointer(&self->file, g_bytes_unref);
    self->file = g_byte_array_free_to_bytes(g_steal_pointer(&file));
    return TRUE;
}
