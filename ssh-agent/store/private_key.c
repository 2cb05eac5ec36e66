#include "ssh-agent/store/private_key.h"

#include <sodium.h>
#include <string.h>

#include "ssh-agent/store/key_error.h"
#include "ssh-agent/store/openssl_key.h"
#include "ssh-agent/store/private_blob.h"
#include "ssh-agent/store/secret.h"
#include "ssh-agent/wire/signature.h"

struct private_key {
    secret *memory;
    struct private_blob private; /* points into memory */
    struct ssh_writer public_blob;
    struct ssh_key public; /* points into public_blob */
};

private_key *private_key_from_blob(struct ssh_span blob, GError **error)
{
    g_autoptr(private_key) self = g_new0(private_key, 1);
    self->memory = secret_copy(blob.data, blob.length);
    struct ssh_reader reader =
        ssh_reader_of((struct ssh_span){self->memory->data, self->memory->length});

    ssh_writer_init(&self->public_blob);
    if (!private_blob_read(&self->private, &reader, error))
        return NULL;
    private_blob_write_public(&self->private, &self->public_blob);
    if (!ssh_reader_done(&reader) ||
        !ssh_key_parse(&self->public, ssh_writer_span(&self->public_blob))) {
        g_set_error(error, KEY_ERROR, KEY_ERROR_FORMAT, "this private key is malformed");
        return NULL;
    }
    return g_steal_pointer(&self);
}

private_key *private_key_generate(void)
{
    g_autoptr(secret) pair = secret_new(crypto_sign_SECRETKEYBYTES);
    g_autoptr(secret) blob = secret_new(256);
    guint8 public[crypto_sign_PUBLICKEYBYTES];
    struct ssh_writer writer;

    crypto_sign_keypair(public, pair->data);
    struct private_blob parts = {
        .type = SSH_KEY_ED25519,
        .point = {public, sizeof public},
        .scalar = {pair->data, pair->length},
    };
    ssh_writer_init_over(&writer, blob->data, blob->length);
    private_blob_write(&parts, &writer);
    return private_key_from_blob(ssh_writer_span(&writer), NULL);
}

void private_key_free(private_key *self)
{
    if (!self)
        return;
    secret_free(self->memory);
    ssh_writer_clear(&self->public_blob);
    g_free(self);
}

const struct ssh_key *private_key_public(const private_key *self)
{
    return &self->public;
}

struct ssh_span private_key_blob(const private_key *self)
{
    return self->private.all;
}

gboolean private_key_sign(const private_key *self, struct ssh_span data, guint32 flags,
                          struct ssh_writer *signature, GError **error)
{
    enum ssh_algorithm algorithm = ssh_algorithm_for(&self->public, flags);
    guint8 raw[crypto_sign_BYTES];

    if (algorithm == SSH_ALGORITHM_NONE) {
        g_set_error(error, KEY_ERROR, KEY_ERROR_KIND,
                    "neither SHA-1 nor unknown signature flags (%#x) are supported", flags);
        return FALSE;
    }
    if (self->private.type != SSH_KEY_ED25519)
        return openssl_key_sign(&self->private, algorithm, data, signature, error);
    crypto_sign_detached(raw, NULL, data.data, data.length, self->private.scalar.data);
    ssh_signature_write(signature, algorithm, (struct ssh_span){raw, sizeof raw});
    return TRUE;
}

gboolean private_key_check(const private_key *self, GError **error)
{
    static const char data[] = "litterbox: check of a private key";
    struct ssh_writer signature;
    ssh_writer_init(&signature);
    gboolean good =
        (self->private.type != SSH_KEY_RSA || openssl_key_factors_match(&self->private)) &&
        private_key_sign(self, ssh_span_text(data), SSH_FLAG_SHA512, &signature, NULL) &&
        ssh_signature_verify(&self->public, ssh_writer_span(&signature), ssh_span_text(data));
    ssh_writer_clear(&signature);
    if (!good)
        g_set_error(error, KEY_ERROR, KEY_ERROR_FORMAT,
                    "the public and private parts of this key do not belong together");
    return good;
}
