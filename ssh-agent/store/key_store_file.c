#include "ssh-agent/store/key_store_file.h"

#include <sodium.h>
#include <string.h>

#include "ssh-agent/store/key_error.h"
#include "ssh-agent/store/private_blob.h"

static const guint8 magic[16] = "litterbox-keys\n";

#define TAG crypto_aead_xchacha20poly1305_ietf_ABYTES
/* Longest encrypted private key, in bytes. */
#define SEALED_MAX (PRIVATE_BLOB_MAX + TAG)

G_STATIC_ASSERT(KEY_STORE_NONCE == crypto_aead_xchacha20poly1305_ietf_NPUBBYTES);

void key_store_record_free(key_store_record *self)
{
    g_free(self->name);
    g_bytes_unref(self->public);
    g_bytes_unref(self->sealed);
    g_free(self);
}

void key_store_file_init(key_store_file *self)
{
    *self = (key_store_file){0};
    self->records = g_ptr_array_new_with_free_func((GDestroyNotify)key_store_record_free);
}

void key_store_file_clear(key_store_file *self)
{
    g_ptr_array_unref(self->records);
}

gboolean key_store_name_is_valid(const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "._@+-";
    gsize length = strlen(name);
    return length <= KEY_STORE_NAME_MAX && g_ascii_isalnum(name[0]) &&
           strspn(name, allowed) == length;
}

static gboolean refuse_store(GError **error, key_error code, const char *why)
{
    g_set_error_literal(error, KEY_ERROR, code, why);
    return FALSE;
}

static gboolean store_damaged(GError **error)
{
    return refuse_store(error, KEY_ERROR_DAMAGED, "is damaged: its contents have changed");
}

static gboolean truncated(GError **error)
{
    return refuse_store(error, KEY_ERROR_TRUNCATED, "is truncated: its end is missing");
}

/* Magic, version and length: they decide which error describes the file best. */
static gboolean read_header(struct ssh_reader *reader, gsize length, GError **error)
{
    struct ssh_span begin;
    guint32 version;
    guint64 stated;

    if (reader->rest.length < sizeof magic)
        return reader->rest.length > 0 && memcmp(reader->rest.data, magic, reader->rest.length) != 0
                   ? store_damaged(error)
                   : truncated(error);
    ssh_read_raw(reader, sizeof magic, &begin);
    if (memcmp(begin.data, magic, sizeof magic) != 0)
        return refuse_store(error, KEY_ERROR_DAMAGED, "is not a key store of Litterbox");
    if (!ssh_read_u32(reader, &version))
        return truncated(error);
    if (version > KEY_STORE_VERSION)
        return refuse_store(
            error, KEY_ERROR_NEWER,
            "was written by a later version of Litterbox: only that one can read it");
    if (!ssh_read_u64(reader, &stated) || length < stated)
        return truncated(error);
    return (version == KEY_STORE_VERSION && length == stated) || store_damaged(error);
}

static gboolean checksum_fits(const guint8 *data, gsize length)
{
    guint8 sum[KEY_STORE_HASH];
    gsize before = length - KEY_STORE_HASH;
    crypto_generichash(sum, sizeof sum, data, before, NULL, 0);
    return memcmp(sum, data + before, sizeof sum) == 0;
}

static GBytes *bytes_of(struct ssh_span span)
{
    return g_bytes_new(span.data, span.length);
}

static struct ssh_span bytes_span(GBytes *bytes)
{
    gsize length;
    const guint8 *data = g_bytes_get_data(bytes, &length);
    return (struct ssh_span){data, length};
}

/* NULL if it is malformed. */
static key_store_record *read_record(struct ssh_reader *reader)
{
    g_autofree char *text = NULL;
    struct ssh_span name, public, nonce, sealed;
    guint64 created;

    ssh_read_string(reader, &name);
    ssh_read_string(reader, &public);
    ssh_read_u64(reader, &created);
    ssh_read_raw(reader, KEY_STORE_NONCE, &nonce);
    ssh_read_string(reader, &sealed);
    if (reader->failed || name.length > KEY_STORE_NAME_MAX || sealed.length > SEALED_MAX ||
        sealed.length < TAG || created > G_MAXINT64)
        return NULL;
    text = g_strndup((const char *)name.data, name.length);
    if (strlen(text) != name.length || !key_store_name_is_valid(text))
        return NULL;
    g_autoptr(key_store_record) self = g_new0(key_store_record, 1);
    self->name = g_steal_pointer(&text);
    self->public = bytes_of(public);
    self->sealed = bytes_of(sealed);
    self->created = created;
    memcpy(self->nonce, nonce.data, KEY_STORE_NONCE);
    gboolean plain =
        ssh_key_parse(&self->key, bytes_span(self->public)) && !self->key.is_certificate;
    return plain ? g_steal_pointer(&self) : NULL;
}

static gboolean is_new(const key_store_file *self, const key_store_record *record)
{
    for (guint i = 0; i < self->records->len; i++) {
        const key_store_record *other = self->records->pdata[i];
        if (strcmp(other->name, record->name) == 0 || g_bytes_equal(other->public, record->public))
            return FALSE;
    }
    return TRUE;
}

static gboolean read_records(key_store_file *self, struct ssh_reader *reader)
{
    guint32 count;
    if (!ssh_read_u32(reader, &count) || count > KEY_STORE_KEYS_MAX)
        return FALSE;
    for (guint32 i = 0; i < count; i++) {
        key_store_record *record = read_record(reader);
        gboolean fresh = record && is_new(self, record);
        if (record)
            g_ptr_array_add(self->records, record);
        if (!fresh)
            return FALSE;
    }
    return reader->rest.length == 2 * KEY_STORE_HASH;
}

gboolean key_store_file_parse(key_store_file *self, const guint8 *data, gsize length,
                              GError **error)
{
    struct ssh_reader reader = ssh_reader_of((struct ssh_span){data, length});
    struct ssh_span salt, check;

    if (!read_header(&reader, length, error))
        return FALSE;
    if (length > KEY_STORE_FILE_MAX || length < KEY_STORE_HEAD + 3 * KEY_STORE_HASH ||
        !checksum_fits(data, length))
        return store_damaged(error);
    ssh_read_u64(&reader, &self->cost.passes);
    ssh_read_u64(&reader, &self->cost.memory);
    ssh_read_raw(&reader, KDF_SALT, &salt);
    if (!ssh_read_raw(&reader, KEY_STORE_HASH, &check) || !kdf_cost_valid(&self->cost))
        return store_damaged(error);
    memcpy(self->salt, salt.data, KDF_SALT);
    return read_records(self, &reader) || store_damaged(error);
}

static void keyed_hash(const guint8 *data, gsize length, const secret *key, guint8 *out)
{
    crypto_generichash(out, KEY_STORE_HASH, data, length, key->data, key->length);
}

void key_store_file_check(const guint8 *data, const secret *subkey, guint8 out[KEY_STORE_HASH])
{
    keyed_hash(data, KEY_STORE_HEAD, subkey, out);
}

void key_store_file_mac(const guint8 *data, gsize length, const secret *subkey,
                        guint8 out[KEY_STORE_HASH])
{
    keyed_hash(data, length - 2 * KEY_STORE_HASH, subkey, out);
}

static gsize record_size(const key_store_record *self)
{
    return 4 + strlen(self->name) + 4 + g_bytes_get_size(self->public) + 8 + KEY_STORE_NONCE + 4 +
           g_bytes_get_size(self->sealed);
}

static gsize file_size(const key_store_file *self)
{
    gsize size = KEY_STORE_HEAD + KEY_STORE_HASH + 4 + 2 * KEY_STORE_HASH;
    for (guint i = 0; i < self->records->len; i++)
        size += record_size(self->records->pdata[i]);
    return size;
}

static void write_associated(const key_store_record *self, struct ssh_writer *to)
{
    ssh_write_text(to, self->name);
    ssh_write_string(to, bytes_span(self->public));
    ssh_write_u64(to, self->created);
}

/* Appends a hash of the first LENGTH bytes that were written. */
static void write_hash(struct ssh_writer *to, gsize length, const secret *key)
{
    guint8 hash[KEY_STORE_HASH];
    crypto_generichash(hash, sizeof hash, to->data, length, key ? key->data : NULL,
                       key ? key->length : 0);
    ssh_write_raw(to, (struct ssh_span){hash, sizeof hash});
}

GByteArray *key_store_file_serialize(const key_store_file *self, const secret *check_key,
                                     const secret *mac_key)
{
    gsize size = file_size(self);
    struct ssh_writer to;
    if (size > KEY_STORE_FILE_MAX)
        return NULL;
    GByteArray *file = g_byte_array_set_size(g_byte_array_new(), size);

    ssh_writer_init_over(&to, file->data, size);
    ssh_write_raw(&to, (struct ssh_span){magic, sizeof magic});
    ssh_write_u32(&to, KEY_STORE_VERSION);
    ssh_write_u64(&to, size);
    ssh_write_u64(&to, self->cost.passes);
    ssh_write_u64(&to, self->cost.memory);
    ssh_write_raw(&to, (struct ssh_span){self->salt, KDF_SALT});
    write_hash(&to, to.length, check_key);
    ssh_write_u32(&to, self->records->len);
    for (guint i = 0; i < self->records->len; i++) {
        const key_store_record *record = self->records->pdata[i];
        write_associated(record, &to);
        ssh_write_raw(&to, (struct ssh_span){record->nonce, KEY_STORE_NONCE});
        ssh_write_string(&to, bytes_span(record->sealed));
    }
    write_hash(&to, to.length, mac_key);
    write_hash(&to, to.length, NULL);
    g_assert(!to.failed && to.length == size);
    return file;
}

/* The associated data of a record: what its encryption authenticates. */
static GByteArray *associated_data(const key_store_record *self)
{
    gsize size = record_size(self) - KEY_STORE_NONCE - 4 - g_bytes_get_size(self->sealed);
    GByteArray *bytes = g_byte_array_set_size(g_byte_array_new(), size);
    struct ssh_writer to;

    ssh_writer_init_over(&to, bytes->data, size);
    write_associated(self, &to);
    g_assert(!to.failed && to.length == size);
    return bytes;
}

void key_store_record_seal(key_store_record *self, const secret *subkey, struct ssh_span blob)
{
    g_autoptr(GByteArray) associated = associated_data(self);
    gsize length = blob.length + TAG;
    guint8 *sealed = g_malloc(length);

    randombytes_buf(self->nonce, KEY_STORE_NONCE);
    crypto_aead_xchacha20poly1305_ietf_encrypt(sealed, NULL, blob.data, blob.length,
                                               associated->data, associated->len, NULL, self->nonce,
                                               subkey->data);
    g_bytes_unref(self->sealed);
    self->sealed = g_bytes_new_take(sealed, length);
}

secret *key_store_record_unseal(const key_store_record *self, const secret *subkey, GError **error)
{
    g_autoptr(GByteArray) associated = associated_data(self);
    gsize length;
    const guint8 *sealed = g_bytes_get_data(self->sealed, &length);
    g_autoptr(secret) blob = secret_new(length - TAG);

    if (crypto_aead_xchacha20poly1305_ietf_decrypt(blob->data, NULL, NULL, sealed, length,
                                                   associated->data, associated->len, self->nonce,
                                                   subkey->data) == 0)
        return g_steal_pointer(&blob);
    g_set_error(error, KEY_ERROR, KEY_ERROR_TAMPERED, "the key '%s' cannot be decrypted",
                self->name);
    return NULL;
}
