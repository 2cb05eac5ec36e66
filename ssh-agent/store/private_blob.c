#include "ssh-agent/store/private_blob.h"

#include <sodium.h>
#include <string.h>

#include "common/text.h"
#include "ssh-agent/store/key_error.h"
#include "ssh-agent/store/secret.h"

/* Bytes of a type name that a message shows. */
#define TYPE_SHOWN 64

static const struct {
    const char *curve, *openssl;
    gsize field;
} curves[SSH_KEY_TYPES] = {
    [SSH_KEY_ECDSA_256] = {"nistp256", "prime256v1", 32},
    [SSH_KEY_ECDSA_384] = {"nistp384", "secp384r1", 48},
    [SSH_KEY_ECDSA_521] = {"nistp521", "secp521r1", 66},
};

gsize private_blob_field_size(enum ssh_key_type type)
{
    return curves[type].field;
}

const char *private_blob_openssl_curve(enum ssh_key_type type)
{
    return curves[type].openssl;
}

static gboolean refuse_blob(GError **error, key_error code, const char *why)
{
    g_set_error_literal(error, KEY_ERROR, code, why);
    return FALSE;
}

static gboolean find_type(struct ssh_span name, enum ssh_key_type *type, GError **error)
{
    for (int i = 0; i < SSH_KEY_TYPES; i++) {
        if (!ssh_span_equal(name, ssh_span_text(ssh_key_type_name(i, false))))
            continue;
        if (i == SSH_KEY_SK_ED25519 || i == SSH_KEY_SK_ECDSA)
            return refuse_blob(
                error, KEY_ERROR_KIND,
                "this key is in a security key and cannot be exported from it: use it "
                "through your own ssh-agent");
        *type = i;
        return TRUE;
    }
    g_autofree char *safe = text_safe_max((const char *)name.data, (gssize)name.length, TYPE_SHOWN);
    g_set_error(error, KEY_ERROR, KEY_ERROR_KIND,
                "keys of the type '%s' are not supported: use ed25519, ECDSA or RSA", safe);
    return FALSE;
}

static gboolean read_ed25519(struct private_blob *self, struct ssh_reader *from, GError **error)
{
    guint8 public[crypto_sign_PUBLICKEYBYTES];
    g_autoptr(secret) derived = secret_new(crypto_sign_SECRETKEYBYTES);

    ssh_read_string(from, &self->point);
    ssh_read_string(from, &self->scalar);
    if (from->failed || self->point.length != crypto_sign_PUBLICKEYBYTES ||
        self->scalar.length != crypto_sign_SECRETKEYBYTES)
        return refuse_blob(error, KEY_ERROR_FORMAT, "this ed25519 key has the wrong size");
    gboolean fits = crypto_sign_seed_keypair(public, derived->data, self->scalar.data) == 0 &&
                    sodium_memcmp(derived->data, self->scalar.data, derived->length) == 0 &&
                    memcmp(public, self->point.data, sizeof public) == 0;
    return fits || refuse_blob(error, KEY_ERROR_FORMAT,
                               "the public and private parts of this key do not belong together");
}

static gboolean read_ecdsa(struct private_blob *self, struct ssh_reader *from, GError **error)
{
    struct ssh_span curve;
    gsize field = curves[self->type].field;

    ssh_read_string(from, &curve);
    ssh_read_string(from, &self->point);
    ssh_read_mpint(from, &self->scalar);
    if (from->failed || !ssh_span_equal(curve, ssh_span_text(curves[self->type].curve)) ||
        self->point.length != 1 + 2 * field || self->scalar.length == 0 ||
        self->scalar.length > field)
        return refuse_blob(error, KEY_ERROR_FORMAT, "this ECDSA key is malformed");
    return TRUE;
}

static guint bits(struct ssh_span number)
{
    guint top = 0;
    for (guint first = number.length > 0 ? number.data[0] : 0; first > 0; first >>= 1)
        top++;
    return number.length > 0 ? 8 * (number.length - 1) + top : 0;
}

static gboolean read_rsa(struct private_blob *self, struct ssh_reader *from, GError **error)
{
    struct ssh_span *const numbers[] = {&self->n,    &self->e, &self->d,
                                        &self->iqmp, &self->p, &self->q};

    for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++) {
        ssh_read_mpint(from, numbers[i]);
        if (from->failed || numbers[i]->length == 0 || numbers[i]->length > self->n.length)
            return refuse_blob(error, KEY_ERROR_FORMAT, "this RSA key is malformed");
    }
    if (bits(self->n) < PRIVATE_BLOB_RSA_BITS_MIN || bits(self->n) > SSH_RSA_BITS_MAX) {
        g_set_error(error, KEY_ERROR, KEY_ERROR_KIND,
                    "this RSA key has %u bits: use one of %d to %d bits", bits(self->n),
                    PRIVATE_BLOB_RSA_BITS_MIN, SSH_RSA_BITS_MAX);
        return FALSE;
    }
    return TRUE;
}

gboolean private_blob_read(struct private_blob *self, struct ssh_reader *from, GError **error)
{
    struct ssh_span start = from->rest, name;
    gboolean good;

    *self = (struct private_blob){0};
    if (!ssh_read_string(from, &name))
        return refuse_blob(error, KEY_ERROR_FORMAT, "the private key is truncated");
    if (!find_type(name, &self->type, error))
        return FALSE;
    if (self->type == SSH_KEY_ED25519)
        good = read_ed25519(self, from, error);
    else if (self->type == SSH_KEY_RSA)
        good = read_rsa(self, from, error);
    else
        good = read_ecdsa(self, from, error);
    self->all = (struct ssh_span){start.data, start.length - from->rest.length};
    if (good && self->all.length > PRIVATE_BLOB_MAX)
        return refuse_blob(error, KEY_ERROR_FORMAT, "the private key is too large");
    return good;
}

void private_blob_write(const struct private_blob *self, struct ssh_writer *to)
{
    ssh_write_text(to, ssh_key_type_name(self->type, false));
    if (self->type == SSH_KEY_RSA) {
        const struct ssh_span numbers[] = {self->n, self->e, self->d, self->iqmp, self->p, self->q};
        for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++)
            ssh_write_mpint(to, numbers[i]);
    } else if (self->type == SSH_KEY_ED25519) {
        ssh_write_string(to, self->point);
        ssh_write_string(to, self->scalar);
    } else {
        ssh_write_text(to, curves[self->type].curve);
        ssh_write_string(to, self->point);
        ssh_write_mpint(to, self->scalar);
    }
}

void private_blob_write_public(const struct private_blob *self, struct ssh_writer *to)
{
    ssh_write_text(to, ssh_key_type_name(self->type, false));
    if (self->type == SSH_KEY_RSA) {
        ssh_write_mpint(to, self->e);
        ssh_write_mpint(to, self->n);
        return;
    }
    if (self->type != SSH_KEY_ED25519)
        ssh_write_text(to, curves[self->type].curve);
    ssh_write_string(to, self->point);
}
