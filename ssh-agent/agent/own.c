#include "ssh-agent/agent/own.h"

#include <string.h>
#include <sys/stat.h>

#include "common/error.h"
#include "common/paths.h"

struct own {
    char *path;
    store *file;     /* locked; NULL: none, or none that can be read */
    GPtrArray *keys; /* of store_key; NULL: locked */
    struct stat seen;
};

own *own_new(void)
{
    own *self = g_new0(own, 1);
    self->path = paths_data("keys");
    return self;
}

void own_free(own *self)
{
    if (!self)
        return;
    own_lock(self);
    store_free(self->file);
    g_free(self->path);
    g_free(self);
}

void own_refresh(own *self)
{
    struct stat now = {0};
    g_autoptr(GError) error = NULL;
    if (stat(self->path, &now) < 0)
        memset(&now, 0, sizeof now);
    if (now.st_ino == self->seen.st_ino && now.st_size == self->seen.st_size &&
        now.st_mtim.tv_sec == self->seen.st_mtim.tv_sec &&
        now.st_mtim.tv_nsec == self->seen.st_mtim.tv_nsec)
        return;
    self->seen = now;
    own_lock(self);
    g_clear_pointer(&self->file, store_free);
    if (!now.st_ino)
        return;
    self->file = store_open(self->path, &error);
    if (error)
        g_message("%s", error->message);
}

guint own_count(const own *self)
{
    return self->file ? store_count(self->file) : 0;
}

store_entry own_entry(const own *self, guint index)
{
    return store_entry_at(self->file, index);
}

gboolean own_is_locked(const own *self)
{
    return self->keys == NULL;
}

void own_lock(own *self)
{
    g_clear_pointer(&self->keys, g_ptr_array_unref);
}

static gboolean load(own *self, GError **error)
{
    g_autoptr(GPtrArray) keys = g_ptr_array_new_with_free_func((GDestroyNotify)store_key_free);
    for (guint i = 0; i < store_count(self->file); i++) {
        store_key *key = store_load(self->file, i, error);
        if (!key)
            return FALSE;
        g_ptr_array_add(keys, key);
    }
    own_lock(self);
    self->keys = g_steal_pointer(&keys);
    return TRUE;
}

gboolean own_unlock(own *self, const secret *password, GError **error)
{
    own_refresh(self);
    if (!self->file) {
        g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND,
                    "there is no key store that can be read: 'box keys list' says why");
        return FALSE;
    }
    if (!store_unlock(self->file, password, error))
        return FALSE;
    gboolean loaded = load(self, error);
    store_lock(self->file);
    return loaded;
}

gboolean own_sign(const own *self, struct ssh_span blob, struct ssh_span data, guint32 flags,
                  struct ssh_writer *signature, GError **error)
{
    for (guint i = 0; self->keys && i < self->keys->len; i++) {
        const store_key *key = self->keys->pdata[i];
        if (ssh_span_equal(store_key_public(key)->blob, blob))
            return store_key_sign(key, data, flags, signature, error);
    }
    g_set_error(error, BOX_ERROR, BOX_ERROR_NOT_FOUND, "the key store is locked");
    return FALSE;
}
