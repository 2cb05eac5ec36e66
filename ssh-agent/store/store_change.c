#include <sodium.h>
#include <string.h>
#include <time.h>

#include "common/fs.h"
#include "common/text.h"
#include "ssh-agent/store/error.h"
#include "ssh-agent/store/store_private.h"

#define TAG crypto_aead_xchacha20poly1305_ietf_ABYTES

static gboolean broken(GError **error, const char *name)
{
    g_set_error(error, KEY_ERROR, KEY_ERROR_TAMPERED, "the key '%s' cannot be decrypted", name);
    return FALSE;
}

/* Encrypts FORM into RECORD, whose other parts are set. */
static void seal(const store *self, format_record *record, struct ssh_span form)
{
    g_autoptr(GByteArray) extra = format_associated(record);
    gsize length = form.length + TAG;
    guint8 *sealed = g_malloc(length);

    randombytes_buf(record->nonce, FORMAT_NONCE);
    crypto_aead_xchacha20poly1305_ietf_encrypt(sealed, NULL, form.data, form.length, extra->data,
                                               extra->len, NULL, record->nonce,
                                               self->record_key->data);
    g_bytes_unref(record->sealed);
    record->sealed = g_bytes_new_take(sealed, length);
}

static secret *unseal(const store *self, const format_record *record, GError **error)
{
    g_autoptr(GByteArray) extra = format_associated(record);
    gsize length;
    const guint8 *sealed = g_bytes_get_data(record->sealed, &length);
    g_autoptr(secret) form = secret_new(length - TAG);

    if (crypto_aead_xchacha20poly1305_ietf_decrypt(form->data, NULL, NULL, sealed, length,
                                                   extra->data, extra->len, record->nonce,
                                                   self->record_key->data) != 0) {
        broken(error, record->name);
        return NULL;
    }
    return g_steal_pointer(&form);
}

static struct ssh_span span_of(const secret *bytes)
{
    return (struct ssh_span){bytes->data, bytes->length};
}

store_key *store_load(const store *self, guint index, GError **error)
{
    const format_record *record = self->index.records->pdata[index];
    g_autoptr(secret) form = store_need_unlocked(self, error) ? unseal(self, record, error) : NULL;
    g_autoptr(store_key) found = form ? store_key_from_private(span_of(form), error) : NULL;
    if (found && !ssh_span_equal(store_key_public(found)->blob, record->key.blob)) {
        broken(error, record->name);
        return NULL;
    }
    return g_steal_pointer(&found);
}

static gboolean name_is_free(const store *self, const char *name, GError **error)
{
    g_autofree char *safe = text_safe(name, -1);
    if (!format_name_valid(name)) {
        g_set_error(error, KEY_ERROR, KEY_ERROR_KIND,
                    "'%s' is no name for a key: 1 to %d letters, digits and . _ @ + - make one",
                    safe, FORMAT_NAME_MAX);
        return FALSE;
    }
    for (guint i = 0; i < store_count(self); i++) {
        if (strcmp(store_entry_at(self, i).name, name) == 0) {
            g_set_error(error, KEY_ERROR, KEY_ERROR_TAKEN, "there is a key '%s' already", safe);
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean key_is_new(const store *self, struct ssh_span blob, GError **error)
{
    if (store_count(self) >= FORMAT_KEYS_MAX) {
        g_set_error(error, KEY_ERROR, KEY_ERROR_FAILED, "the key store is full: it holds %d keys",
                    FORMAT_KEYS_MAX);
        return FALSE;
    }
    for (guint i = 0; i < store_count(self); i++) {
        store_entry entry = store_entry_at(self, i);
        if (ssh_span_equal(entry.key->blob, blob)) {
            g_set_error(error, KEY_ERROR, KEY_ERROR_TAKEN, "this key is there already, as '%s'",
                        entry.name);
            return FALSE;
        }
    }
    return TRUE;
}

gboolean store_add(store *self, const char *name, const store_key *added, GError **error)
{
    struct ssh_span blob = store_key_public(added)->blob;
    if (!store_need_unlocked(self, error) || !name_is_free(self, name, error) ||
        !key_is_new(self, blob, error))
        return FALSE;
    format_record *record = g_new0(format_record, 1);
    record->name = g_strdup(name);
    record->public = g_bytes_new(blob.data, blob.length);
    record->sealed = g_bytes_new(NULL, 0);
    record->created = (guint64)MAX(time(NULL), 0);
    gsize length;
    const guint8 *copy = g_bytes_get_data(record->public, &length);
    g_assert(ssh_key_parse(&record->key, (struct ssh_span){copy, length}));
    seal(self, record, store_key_private(added));
    g_ptr_array_add(self->index.records, record);
    return TRUE;
}

gboolean store_rename(store *self, guint index, const char *name, GError **error)
{
    format_record *record = self->index.records->pdata[index];
    g_autoptr(secret) form = store_need_unlocked(self, error) && name_is_free(self, name, error)
                                 ? unseal(self, record, error)
                                 : NULL;
    if (!form)
        return FALSE;
    g_free(record->name);
    record->name = g_strdup(name);
    seal(self, record, span_of(form));
    return TRUE;
}

gboolean store_delete(store *self, guint index, GError **error)
{
    if (!store_need_unlocked(self, error))
        return FALSE;
    g_ptr_array_remove_index(self->index.records, index);
    return TRUE;
}

gboolean store_set_password(store *self, const secret *password, const kdf_cost *cost,
                            GError **error)
{
    g_autoptr(GPtrArray) forms = g_ptr_array_new_with_free_func((GDestroyNotify)secret_free);
    if (!store_need_unlocked(self, error))
        return FALSE;
    for (guint i = 0; i < store_count(self); i++) {
        secret *form = unseal(self, self->index.records->pdata[i], error);
        if (!form)
            return FALSE;
        g_ptr_array_add(forms, form);
    }
    self->index.cost = *cost;
    randombytes_buf(self->index.salt, KDF_SALT);
    if (!store_derive(self, password, error)) {
        store_lock(self); /* its salt is no longer that of its keys */
        return FALSE;
    }
    for (guint i = 0; i < store_count(self); i++)
        seal(self, self->index.records->pdata[i], span_of(forms->pdata[i]));
    return TRUE;
}

store *store_create(const char *path, const secret *password, const kdf_cost *cost, GError **error)
{
    g_autoptr(store) self = g_new0(store, 1);
    self->path = g_strdup(path);
    format_index_init(&self->index);
    self->index.cost = *cost;
    randombytes_buf(self->index.salt, KDF_SALT);
    return store_derive(self, password, error) ? g_steal_pointer(&self) : NULL;
}

gboolean store_save(store *self, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(self->path);
    if (!store_need_unlocked(self, error))
        return FALSE;
    g_autoptr(GByteArray) file = format_write(&self->index, self->check_key, self->mac_key);
    if (!file) {
        g_set_error(error, KEY_ERROR, KEY_ERROR_FAILED, "the key store would be too large");
        return FALSE;
    }
    if (!fs_make_folder(folder, 0700, error) ||
        !fs_write(self->path, (const char *)file->data, file->len, 0600, error))
        return FALSE;
    g_clear_pointer(&self->file, g_bytes_unref);
    self->file = g_byte_array_free_to_bytes(g_steal_pointer(&file));
    return TRUE;
}
