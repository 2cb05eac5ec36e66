#include "ssh-agent/store/format.h"

#include <sodium.h>
#include <string.h>

#include "ssh-agent/store/error.h"
#include "ssh-agent/store/private.h"

static const guint8 magic[16] = "litterbox-keys\n";

/* A sealed key: its private form and the tag. */
#define SEALED_MAX (PRIVATE_MAX + crypto_aead_xchacha20poly1305_ietf_ABYTES)

G_STATIC_ASSERT(FORMAT_NONCE == crypto_aead_xchacha20poly1305_ietf_NPUBBYTES);

void format_record_free(format_record *self)
{
    g_free(self->name);
    g_bytes_unref(self->public);
    g_bytes_unref(self->sealed);
    g_free(self);
}

void format_index_init(format_index *self)
{
    *self = (format_index){0};
    self->records = g_ptr_array_new_with_free_func((GDestroyNotify)format_record_free);
}

void format_index_clear(format_index *self)
{
    g_ptr_array_unref(self->records);
}

gboolean format_name_valid(const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "._@+-";
    gsize length = strlen(name);
    return length <= FORMAT_NAME_MAX && g_ascii_isalnum(name[0]) && strspn(name, allowed) == length;
}

static gboolean refuse(GError **error, key_error code, const char *why)
{
    g_set_error_literal(error, KEY_ERROR, code, why);
    return FALSE;
}

static gboolean damaged(GError **error)
{
    return refuse(error, KEY_ERROR_DAMAGED, "is damaged: its contents are not what was written");
}

static gboolean truncated(GError **error)
{
    return refuse(error, KEY_ERROR_TRUNCATED, "is truncated: its end is missing");
}

/* How the file begins and how long it is: what can be said before anything else is read. */
static gboolean read_shape(struct ssh_reader *reader, gsize length, GError **error)
{
    struct ssh_span begin;
    guint32 version;
    guint64 stated;

    if (reader->rest.length < sizeof magic)
        return reader->rest.length > 0 && memcmp(reader->rest.data, magic, reader->rest.length) != 0
                   ? damaged(error)
                   : truncated(error);
    ssh_read_raw(reader, sizeof magic, &begin);
    if (memcmp(begin.data, magic, sizeof magic) != 0)
        return refuse(error, KEY_ERROR_DAMAGED, "is no key store of Litterbox");
    if (!ssh_read_u32(reader, &version))
        return truncated(error);
    if (version > FORMAT_VERSION)
        return refuse(error, KEY_ERROR_NEWER,
                      "was written by a later version of Litterbox, which is needed to read it");
    if (!ssh_read_u64(reader, &stated) || length < stated)
        return truncated(error);
    return (version == FORMAT_VERSION && length == stated) || damaged(error);
}

static gboolean checksum_fits(const guint8 *data, gsize length)
{
    guint8 sum[FORMAT_HASH];
    gsize before = length - FORMAT_HASH;
    crypto_generichash(sum, sizeof sum, data, before, NULL, 0);
    return memcmp(sum, data + before, sizeof sum) == 0;
}

static GBytes *bytes_of(struct ssh_span span)
{
    return g_bytes_new(span.data, span.length);
}

static struct ssh_span span_of(GBytes *bytes)
{
    gsize length;
    const guint8 *data = g_bytes_get_data(bytes, &length);
    return (struct ssh_span){data, length};
}

/* NULL when it has not the right form. */
static format_record *read_record(struct ssh_reader *reader)
{
    g_autofree char *text = NULL;
    struct ssh_span name, public, nonce, sealed;
    guint64 created;

    ssh_read_string(reader, &name);
    ssh_read_string(reader, &public);
    ssh_read_u64(reader, &created);
    ssh_read_raw(reader, FORMAT_NONCE, &nonce);
    ssh_read_string(reader, &sealed);
    if (reader->failed || name.length > FORMAT_NAME_MAX || sealed.length > SEALED_MAX ||
        sealed.length < crypto_aead_xchacha20poly1305_ietf_ABYTES || created > G_MAXINT64)
        return NULL;
    text = g_strndup((const char *)name.data, name.length);
    if (strlen(text) != name.length || !format_name_valid(text))
        return NULL;
    g_autoptr(format_record) self = g_new0(format_record, 1);
    self->name = g_steal_pointer(&text);
    self->public = bytes_of(public);
    self->sealed = bytes_of(sealed);
    self->created = created;
    memcpy(self->nonce, nonce.data, FORMAT_NONCE);
    gboolean plain = ssh_key_parse(&self->key, span_of(self->public)) && !self->key.is_certificate;
    return plain ? g_steal_pointer(&self) : NULL;
}

static gboolean is_new(const format_index *self, const format_record *record)
{
    for (guint i = 0; i < self->records->len; i++) {
        const format_record *other = self->records->pdata[i];
        if (strcmp(other->name, record->name) == 0 || g_bytes_equal(other->public, record->public))
            return FALSE;
    }
    return TRUE;
}

static gboolean read_records(format_index *self, struct ssh_reader *reader)
{
    guint32 count;
    if (!ssh_read_u32(reader, &count) || count > FORMAT_KEYS_MAX)
        return FALSE;
    for (guint32 i = 0; i < count; i++) {
        format_record *record = read_record(reader);
        gboolean fresh = record && is_new(self, record);
        if (record)
            g_ptr_array_add(self->records, record);
        if (!fresh)
            return FALSE;
    }
    return reader->rest.length == 2 * FORMAT_HASH;
}

gboolean format_read(format_index *self, const guint8 *data, gsize length, GError **error)
{
    struct ssh_reader reader = ssh_reader_of((struct ssh_span){data, length});
    struct ssh_span salt, check;

    if (!read_shape(&reader, length, error))
        return FALSE;
    if (length > FORMAT_MAX || length < FORMAT_HEAD + 3 * FORMAT_HASH ||
        !checksum_fits(data, length))
        return damaged(error);
    ssh_read_u64(&reader, &self->cost.passes);
    ssh_read_u64(&reader, &self->cost.memory);
    ssh_read_raw(&reader, KDF_SALT, &salt);
    if (!ssh_read_raw(&reader, FORMAT_HASH, &check) || !kdf_cost_valid(&self->cost))
        return damaged(error);
    memcpy(self->salt, salt.data, KDF_SALT);
    return read_records(self, &reader) || damaged(error);
}

static void keyed_hash(const guint8 *data, gsize length, const secret *key, guint8 *out)
{
    crypto_generichash(out, FORMAT_HASH, data, length, key->data, key->length);
}

void format_check(const guint8 *data, const secret *subkey, guint8 out[FORMAT_HASH])
{
    keyed_hash(data, FORMAT_HEAD, subkey, out);
}

void format_mac(const guint8 *data, gsize length, const secret *subkey, guint8 out[FORMAT_HASH])
{
    keyed_hash(data, length - 2 * FORMAT_HASH, subkey, out);
}

static gsize record_size(const format_record *self)
{
    return 4 + strlen(self->name) + 4 + g_bytes_get_size(self->public) + 8 + FORMAT_NONCE + 4 +
           g_bytes_get_size(self->sealed);
}

static gsize file_size(const format_index *self)
{
    gsize size = FORMAT_HEAD + FORMAT_HASH + 4 + 2 * FORMAT_HASH;
    for (guint i = 0; i < self->records->len; i++)
        size += record_size(self->records->pdata[i]);
    return size;
}

static void write_associated(const format_record *self, struct ssh_writer *to)
{
    ssh_write_text(to, self->name);
    ssh_write_string(to, span_of(self->public));
    ssh_write_u64(to, self->created);
}

/* A hash of what has been written, appended. */
static void write_hash(struct ssh_writer *to, gsize length, const secret *key)
{
    guint8 hash[FORMAT_HASH];
    crypto_generichash(hash, sizeof hash, to->data, length, key ? key->data : NULL,
                       key ? key->length : 0);
    ssh_write_raw(to, (struct ssh_span){hash, sizeof hash});
}

GByteArray *format_write(const format_index *self, const secret *check_key, const secret *mac_key)
{
    gsize size = file_size(self);
    struct ssh_writer to;
    if (size > FORMAT_MAX)
        return NULL;
    GByteArray *file = g_byte_array_set_size(g_byte_array_new(), size);

    ssh_writer_init_over(&to, file->data, size);
    ssh_write_raw(&to, (struct ssh_span){magic, sizeof magic});
    ssh_write_u32(&to, FORMAT_VERSION);
    ssh_write_u64(&to, size);
    ssh_write_u64(&to, self->cost.passes);
    ssh_write_u64(&to, self->cost.memory);
    ssh_write_raw(&to, (struct ssh_span){self->salt, KDF_SALT});
    write_hash(&to, to.length, check_key);
    ssh_write_u32(&to, self->records->len);
    for (guint i = 0; i < self->records->len; i++) {
        const format_record *record = self->records->pdata[i];
        write_associated(record, &to);
        ssh_write_raw(&to, (struct ssh_span){record->nonce, FORMAT_NONCE});
        ssh_write_string(&to, span_of(record->sealed));
    }
    write_hash(&to, to.length, mac_key);
    write_hash(&to, to.length, NULL);
    g_assert(!to.failed && to.length == size);
    return file;
}

GByteArray *format_associated(const format_record *self)
{
    gsize size = record_size(self) - FORMAT_NONCE - 4 - g_bytes_get_size(self->sealed);
    GByteArray *bytes = g_byte_array_set_size(g_byte_array_new(), size);
    struct ssh_writer to;

    ssh_writer_init_over(&to, bytes->data, size);
    write_associated(self, &to);
    g_assert(!to.failed && to.length == size);
    return bytes;
}
