#include "ssh-agent/agent/agent.h"

#include <string.h>
#include <sys/stat.h>

#include "common/error.h"
#include "common/paths.h"

struct keystore_backend {
    char *path;
    key_store *file;  /* locked; NULL: missing, or not readable */
    GPtrArray *keys;  /* of private_key; NULL: locked */
    struct stat seen; /* the file, at the last refresh */
};

keystore_backend *keystore_backend_new(void)
{
    keystore_backend *self = g_new0(keystore_backend, 1);
    self->path = paths_data("keys");
    return self;
}

void keystore_backend_free(keystore_backend *self)
{
    if (!self)
        return;
    keystore_backend_lock(self);
    key_store_free(self->file);
    g_free(self->path);
    g_free(self);
}

void keystore_backend_refresh(keystore_backend *self)
{
    struct stat now = {0};
    g_autoptr(GError) error = NULL;
    if (stat(self->path, &now) < 0)
        memset(&now, 0, sizeof now);
    gboolean same = now.st_ino == self->seen.st_ino && now.st_size == self->seen.st_size &&
                    now.st_mtim.tv_sec == self->seen.st_mtim.tv_sec &&
                    now.st_mtim.tv_nsec == self->seen.st_mtim.tv_nsec;
    /* One that could not be used is tried again: its rights or its folder's may be right now. */
    if (same && (self->file || !now.st_ino))
        return;
    self->seen = now;
    keystore_backend_lock(self);
    g_clear_pointer(&self->file, key_store_free);
    if (!now.st_ino)
        return;
    self->file = key_store_open(self->path, &error);
    if (error && !same)
        g_message("%s", error->message);
}

guint keystore_backend_count(const keystore_backend *self)
{
    return self->file ? key_store_count(self->file) : 0;
}

key_store_entry keystore_backend_entry(const keystore_backend *self, guint index)
{
    return key_store_entry_at(self->file, index);
}

gboolean keystore_backend_is_locked(const keystore_backend *self)
{
    return self->keys == NULL;
}

void keystore_backend_lock(keystore_backend *self)
{
    g_clear_pointer(&self->keys, g_ptr_array_unref);
}

static gboolean load(keystore_backend *self, GError **error)
{
    g_autoptr(GPtrArray) keys = g_ptr_array_new_with_free_func((GDestroyNotify)private_key_free);
    for (guint i = 0; i < key_store_count(self->file); i++) {
        private_key *key = key_store_load_key(self->file, i, error);
        if (!key)
            return FALSE;
        g_ptr_array_add(keys, key);
    }
    keystore_backend_lock(self);
    self->keys = g_steal_pointer(&keys);
    return TRUE;
}

gboolean keystore_backend_unlock(keystore_backend *self, const secret *password, GError **error)
{
    keystore_backend_refresh(self);
    if (!self->file) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                    "the key store cannot be read; 'box keys list' says why");
        return FALSE;
    }
    if (!key_store_unlock(self->file, password, error))
        return FALSE;
    gboolean loaded = load(self, error);
    key_store_lock(self->file);
    return loaded;
}

gboolean keystore_backend_sign(const keystore_backend *self, struct ssh_span blob,
                               struct ssh_span data, guint32 flags, struct ssh_writer *signature,
                               GError **error)
{
    for (guint i = 0; self->keys && i < self->keys->len; i++) {
        const private_key *key = self->keys->pdata[i];
        if (ssh_span_equal(private_key_public(key)->blob, blob))
            return private_key_sign(key, data, flags, signature, error);
    }
    g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND, "the key store is locked");
    return FALSE;
}
