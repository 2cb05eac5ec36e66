#include "ssh-agent/store/key.h"

#include <sodium.h>
#include <string.h>

#include "ssh-agent/store/error.h"
#include "ssh-agent/store/evp.h"
#include "ssh-agent/store/private.h"
#include "ssh-agent/store/secret.h"
#include "ssh-agent/wire/verify.h"

struct store_key {
    secret *memory;
    struct private_form form; /* spans into memory */
    struct ssh_writer blob;
    struct ssh_key public; /* spans into blob */
};

store_key *store_key_from_private(struct ssh_span form, GError **error)
{
    g_autoptr(store_key) self = g_new0(store_key, 1);
    self->memory = secret_copy(form.data, form.length);
    struct ssh_reader reader =
        ssh_reader_of((struct ssh_span){self->memory->data, self->memory->length});

    ssh_writer_init(&self->blob);
    if (!private_read(&self->form, &reader, error))
        return NULL;
    private_write_public(&self->form, &self->blob);
    if (!ssh_reader_done(&reader) || !ssh_key_parse(&self->public, ssh_writer_span(&self->blob))) {
        g_set_error(error, KEY_ERROR, KEY_ERROR_FORMAT, "this private key has the wrong form");
        return NULL;
    }
    return g_steal_pointer(&self);
}

store_key *store_key_generate(void)
{
    g_autoptr(secret) pair = secret_new(crypto_sign_SECRETKEYBYTES);
    g_autoptr(secret) form = secret_new(256);
    guint8 public[crypto_sign_PUBLICKEYBYTES];
    struct ssh_writer writer;

    crypto_sign_keypair(public, pair->data);
    struct private_form parts = {
        .type = SSH_KEY_ED25519,
        .point = {public, sizeof public},
        .scalar = {pair->data, pair->length},
    };
    ssh_writer_init_over(&writer, form->data, form->length);
    private_write(&parts, &writer);
    return store_key_from_private(ssh_writer_span(&writer), NULL);
}

void store_key_free(store_key *self)
{
    if (!self)
        return;
    secret_free(self->memory);
    ssh_writer_clear(&self->blob);
    g_free(self);
}

const struct ssh_key *store_key_public(const store_key *self)
{
    return &self->public;
}

struct ssh_span store_key_private(const store_key *self)
{
    return self->form.all;
}

gboolean store_key_sign(const store_key *self, struct ssh_span data, guint32 flags,
                        struct ssh_writer *signature, GError **error)
{
    enum ssh_algorithm algorithm = ssh_algorithm_for(&self->public, flags);
    guint8 raw[crypto_sign_BYTES];

    if (algorithm == SSH_ALGORITHM_NONE) {
        g_set_error(error, KEY_ERROR, KEY_ERROR_KIND,
                    "signatures of this kind (flags %#x, SHA-1 perhaps) are not made", flags);
        return FALSE;
    }
    if (self->form.type != SSH_KEY_ED25519)
        return evp_sign(&self->form, algorithm, data, signature, error);
    crypto_sign_detached(raw, NULL, data.data, data.length, self->form.scalar.data);
    ssh_signature_write(signature, algorithm, (struct ssh_span){raw, sizeof raw});
    return TRUE;
}

gboolean store_key_check(const store_key *self, GError **error)
{
    static const char data[] = "a text that nobody else asks to sign";
    struct ssh_writer signature;
    ssh_writer_init(&signature);
    gboolean good = (self->form.type != SSH_KEY_RSA || evp_factors_fit(&self->form)) &&
                    store_key_sign(self, ssh_span_text(data), SSH_FLAG_SHA512, &signature, NULL) &&
                    ssh_verify(&self->public, ssh_writer_span(&signature), ssh_span_text(data));
    ssh_writer_clear(&signature);
    if (!good)
        g_set_error(error, KEY_ERROR, KEY_ERROR_FORMAT,
                    "the parts of this private key do not belong together");
    return good;
}
