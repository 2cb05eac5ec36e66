#include "ssh-agent/store/openssh.h"

#include <string.h>

#include "common/text.h"
#include "ssh-agent/store/bcrypt_pbkdf.h"
#include "ssh-agent/store/error.h"
#include "ssh-agent/store/private.h"

#define NAME_SHOWN 64

/* What the container says, all of it spans into it. */
struct container {
    const cipher *kind; /* NULL: not encrypted */
    struct ssh_span salt;
    guint32 rounds;
    struct ssh_span public, private; /* behind private stands the tag, where the cipher has one */
};

static gboolean refuse(GError **error, key_error code, const char *why)
{
    g_set_error_literal(error, KEY_ERROR, code, why);
    return FALSE;
}

secret *openssh_derive(const cipher *kind, const secret *passphrase, struct ssh_span salt,
                       guint32 rounds)
{
    g_autoptr(secret) result = secret_new(kind->key + kind->iv);
    if (rounds > OPENSSH_ROUNDS_MAX ||
        !bcrypt_pbkdf((const char *)passphrase->data, passphrase->length, salt.data, salt.length,
                      rounds, result->data, result->length))
        return NULL;
    return g_steal_pointer(&result);
}

static gboolean find_cipher(struct container *self, struct ssh_span name, struct ssh_span kdf,
                            struct ssh_span options, GError **error)
{
    struct ssh_reader reader = ssh_reader_of(options);
    if (ssh_span_equal(name, SSH_SPAN("none")))
        return (ssh_span_equal(kdf, SSH_SPAN("none")) && options.length == 0) ||
               refuse(error, KEY_ERROR_FORMAT, "the key file contradicts itself");
    self->kind = cipher_find((const char *)name.data, name.length);
    if (!self->kind || !ssh_span_equal(kdf, SSH_SPAN("bcrypt"))) {
        g_autofree char *safe =
            text_safe_max((const char *)name.data, (gssize)name.length, NAME_SHOWN);
        g_set_error(error, KEY_ERROR, KEY_ERROR_FORMAT,
                    "the key file is encrypted in a way that is not known here ('%s'); "
                    "'ssh-keygen -p -f FILE' changes that",
                    safe);
        return FALSE;
    }
    ssh_read_string(&reader, &self->salt);
    ssh_read_u32(&reader, &self->rounds);
    if (!ssh_reader_done(&reader) || self->salt.length == 0 || self->rounds == 0)
        return refuse(error, KEY_ERROR_FORMAT, "the key file's passphrase parameters are wrong");
    if (self->rounds > OPENSSH_ROUNDS_MAX)
        return refuse(error, KEY_ERROR_FORMAT,
                      "the key file's passphrase would take too long; 'ssh-keygen -p -a 100 -f "
                      "FILE' changes that");
    return TRUE;
}

static gboolean read_container(struct container *self, struct ssh_span bytes, GError **error)
{
    struct ssh_reader reader = ssh_reader_of(bytes);
    struct ssh_span magic, name, kdf, options;
    guint32 count;

    *self = (struct container){0};
    ssh_read_raw(&reader, sizeof OPENSSH_MAGIC, &magic);
    if (reader.failed || memcmp(magic.data, OPENSSH_MAGIC, sizeof OPENSSH_MAGIC) != 0)
        return refuse(error, KEY_ERROR_FORMAT, "this is no OpenSSH key file");
    ssh_read_string(&reader, &name);
    ssh_read_string(&reader, &kdf);
    ssh_read_string(&reader, &options);
    ssh_read_u32(&reader, &count);
    ssh_read_string(&reader, &self->public);
    ssh_read_string(&reader, &self->private);
    if (reader.failed)
        return refuse(error, KEY_ERROR_FORMAT, "the key file is cut off");
    if (count != 1)
        return refuse(error, KEY_ERROR_FORMAT, "the key file has not exactly one key");
    if (!find_cipher(self, name, kdf, options, error))
        return FALSE;
    if (reader.rest.length != (self->kind ? self->kind->tag : 0) ||
        self->private.length % (self->kind ? self->kind->block : OPENSSH_BLOCK) != 0)
        return refuse(error, KEY_ERROR_FORMAT, "the key file has the wrong length");
    return TRUE;
}

static secret *decrypt(const struct container *self, const secret *passphrase, GError **error)
{
    if (!passphrase) {
        refuse(error, KEY_ERROR_PASSPHRASE, "the key file is encrypted, and needs its passphrase");
        return NULL;
    }
    g_autoptr(secret) key = openssh_derive(self->kind, passphrase, self->salt, self->rounds);
    g_autoptr(secret) plain = secret_new(self->private.length);
    if (!key || !cipher_decrypt(self->kind, key->data, self->private.data, self->private.length,
                                plain->data)) {
        refuse(error, KEY_ERROR_PASSWORD, "the passphrase is wrong");
        return NULL;
    }
    return g_steal_pointer(&plain);
}

/* 1, 2, 3 … up to the end of the block. */
static gboolean is_padding(struct ssh_span rest)
{
    for (gsize i = 0; i < rest.length; i++) {
        if (rest.data[i] != (guint8)(i + 1))
            return FALSE;
    }
    return rest.length < 256;
}

static gboolean read_check(struct ssh_reader *reader, gboolean encrypted, GError **error)
{
    guint32 one, two;
    ssh_read_u32(reader, &one);
    ssh_read_u32(reader, &two);
    if (!reader->failed && one == two)
        return TRUE;
    return encrypted ? refuse(error, KEY_ERROR_PASSWORD, "the passphrase is wrong")
                     : refuse(error, KEY_ERROR_FORMAT, "the key file is damaged");
}

static store_key *read_private(struct ssh_span plain, gboolean encrypted, char **comment,
                               GError **error)
{
    struct ssh_reader reader = ssh_reader_of(plain);
    struct private_form form;
    struct ssh_span text;

    if (!read_check(&reader, encrypted, error) || !private_read(&form, &reader, error))
        return NULL;
    if (!ssh_read_string(&reader, &text) || !is_padding(reader.rest)) {
        refuse(error, KEY_ERROR_FORMAT, "the key file is damaged");
        return NULL;
    }
    if (comment && text.length > 0)
        *comment = g_strndup((const char *)text.data, text.length);
    return store_key_from_private(form.all, error);
}

store_key *openssh_read(struct ssh_span bytes, const secret *passphrase, char **comment,
                        GError **error)
{
    struct container self;
    if (!read_container(&self, bytes, error))
        return NULL;
    g_autoptr(secret) plain = self.kind ? decrypt(&self, passphrase, error) : NULL;
    if (self.kind && !plain)
        return NULL;
    struct ssh_span private = plain ? (struct ssh_span){plain->data, plain->length} : self.private;
    g_autoptr(store_key) found = read_private(private, self.kind != NULL, comment, error);
    if (found && !ssh_span_equal(store_key_public(found)->blob, self.public)) {
        refuse(error, KEY_ERROR_FORMAT, "the key file's public part belongs to another key");
        return NULL;
    }
    return g_steal_pointer(&found);
}
