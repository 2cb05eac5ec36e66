#include "ssh-agent/store/openssl_key.h"

#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <string.h>

#include "common/text.h"
#include "ssh-agent/store/key_error.h"

#define NUMBER_MAX (SSH_RSA_BITS_MAX / 8)
#define NAME_MAX_BYTES 64

/* The key's number NAME, big endian, padded with leading zeros to SIZE bytes. Does not use
 * EVP_PKEY_get_bn_param(), which leaves copies on the stack. */
static secret *number_of(EVP_PKEY *from, const char *name, gsize size)
{
    g_autoptr(secret) native = secret_new(NUMBER_MAX), result = secret_new(size);
    OSSL_PARAM params[] = {OSSL_PARAM_construct_BN(name, native->data, native->length),
                           OSSL_PARAM_construct_end()};
    g_autoptr(BIGNUM) number = BN_secure_new();

    if (!number || EVP_PKEY_get_params(from, params) != 1 || !OSSL_PARAM_modified(params))
        return NULL;
    params[0].data_size = params[0].return_size;
    if (!OSSL_PARAM_get_BN(params, &number) ||
        BN_bn2binpad(number, result->data, (int)size) != (int)size)
        return NULL;
    return g_steal_pointer(&result);
}

static struct ssh_span key_span(const secret *bytes)
{
    return (struct ssh_span){bytes->data, bytes->length};
}

static secret *write_blob(const struct private_blob *blob)
{
    g_autoptr(secret) result = secret_new(PRIVATE_BLOB_MAX);
    struct ssh_writer writer;

    ssh_writer_init_over(&writer, result->data, result->length);
    private_blob_write(blob, &writer);
    if (writer.failed)
        return NULL;
    result->length = writer.length;
    return g_steal_pointer(&result);
}

static secret *rsa_blob(EVP_PKEY *from)
{
    static const char *const names[] = {
        OSSL_PKEY_PARAM_RSA_N,       OSSL_PKEY_PARAM_RSA_E,
        OSSL_PKEY_PARAM_RSA_D,       OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
        OSSL_PKEY_PARAM_RSA_FACTOR1, OSSL_PKEY_PARAM_RSA_FACTOR2,
    };
    struct private_blob blob = {.type = SSH_KEY_RSA};
    struct ssh_span *const to[] = {&blob.n, &blob.e, &blob.d, &blob.iqmp, &blob.p, &blob.q};
    g_autoptr(GPtrArray) owned = g_ptr_array_new_with_free_func((GDestroyNotify)secret_free);

    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        secret *number = number_of(from, names[i], NUMBER_MAX);
        if (!number)
            return NULL;
        g_ptr_array_add(owned, number);
        *to[i] = key_span(number);
    }
    return write_blob(&blob);
}

static secret *ecdsa_blob(EVP_PKEY *from, enum ssh_key_type type)
{
    gsize field = private_blob_field_size(type);
    g_autoptr(secret) x = number_of(from, OSSL_PKEY_PARAM_EC_PUB_X, field);
    g_autoptr(secret) y = number_of(from, OSSL_PKEY_PARAM_EC_PUB_Y, field);
    g_autoptr(secret) d = number_of(from, OSSL_PKEY_PARAM_PRIV_KEY, field);
    g_autoptr(secret) point = secret_new(1 + 2 * field);

    if (!x || !y || !d)
        return NULL;
    point->data[0] = 4; /* uncompressed */
    memcpy(point->data + 1, x->data, field);
    memcpy(point->data + 1 + field, y->data, field);
    struct private_blob blob = {.type = type, .point = key_span(point), .scalar = key_span(d)};
    return write_blob(&blob);
}

static secret *ed25519_blob(EVP_PKEY *from)
{
    g_autoptr(secret) pair = secret_new(64);
    size_t seed = 32, public = 32;
    if (EVP_PKEY_get_raw_private_key(from, pair->data, &seed) != 1 ||
        EVP_PKEY_get_raw_public_key(from, pair->data + 32, &public) != 1 || seed != 32 ||
        public != 32)
        return NULL;
    struct private_blob blob = {
        .type = SSH_KEY_ED25519,
        .point = {pair->data + 32, 32},
        .scalar = key_span(pair),
    };
    return write_blob(&blob);
}

static gboolean curve_of(EVP_PKEY *from, enum ssh_key_type *type)
{
    char name[NAME_MAX_BYTES];
    if (EVP_PKEY_get_group_name(from, name, sizeof name, NULL) != 1)
        return FALSE;
    for (*type = SSH_KEY_ECDSA_256; *type <= SSH_KEY_ECDSA_521; ++*type) {
        if (strcmp(name, private_blob_openssl_curve(*type)) == 0)
            return TRUE;
    }
    return FALSE;
}

gpointer openssl_key_refuse_kind(const char *kind, GError **error)
{
    g_autofree char *safe = text_safe_max(kind ? kind : "?", -1, NAME_MAX_BYTES);
    g_set_error(error, KEY_ERROR, KEY_ERROR_KIND,
                "this type of key (%s) is not supported: use ed25519, RSA, or ECDSA on nistp256, "
                "nistp384 or nistp521",
                safe);
    return NULL;
}

secret *openssl_key_to_blob(EVP_PKEY *from, GError **error)
{
    enum ssh_key_type curve;
    secret *result = NULL;

    if (EVP_PKEY_is_a(from, "ED25519"))
        result = ed25519_blob(from);
    else if (EVP_PKEY_is_a(from, "RSA") && EVP_PKEY_get_bits(from) <= SSH_RSA_BITS_MAX)
        result = rsa_blob(from);
    else if (EVP_PKEY_is_a(from, "EC") && curve_of(from, &curve))
        result = ecdsa_blob(from, curve);
    else
        return openssl_key_refuse_kind(EVP_PKEY_get0_type_name(from), error);
    if (!result)
        g_set_error(error, KEY_ERROR, KEY_ERROR_FORMAT, "parts of this private key are missing");
    return result;
}

/* A number on OpenSSL's secure heap from big-endian bytes; NULL if that is full. */
static BIGNUM *secure_number(struct ssh_span bytes)
{
    BIGNUM *number = BN_secure_new();
    if (number && !BN_bin2bn(bytes.data, (int)bytes.length, number)) {
        BN_clear_free(number);
        return NULL;
    }
    if (number)
        BN_set_flags(number, BN_FLG_CONSTTIME);
    return number;
}

/* Bytes of the longest signature: RSA's. */
#define RAW_MAX (SSH_RSA_BITS_MAX / 8)

static gboolean fail_openssl(GError **error, const char *what)
{
    g_set_error(error, KEY_ERROR, KEY_ERROR_FAILED, "OpenSSL cannot %s", what);
    return FALSE;
}

static EVP_PKEY *build(const char *kind, OSSL_PARAM_BLD *parts)
{
    g_autoptr(openssl_params) params = OSSL_PARAM_BLD_to_param(parts);
    g_autoptr(EVP_PKEY_CTX) context = EVP_PKEY_CTX_new_from_name(NULL, kind, NULL);
    EVP_PKEY *made = NULL;
    if (!params || !context || EVP_PKEY_fromdata_init(context) != 1 ||
        EVP_PKEY_fromdata(context, &made, EVP_PKEY_KEYPAIR, params) != 1)
        return NULL;
    return made;
}

static EVP_PKEY *build_ecdsa(const struct private_blob *self)
{
    g_autoptr(OSSL_PARAM_BLD) parts = OSSL_PARAM_BLD_new();
    g_autoptr(BIGNUM) scalar = secure_number(self->scalar);
    if (!parts || !scalar ||
        !OSSL_PARAM_BLD_push_utf8_string(parts, OSSL_PKEY_PARAM_GROUP_NAME,
                                         private_blob_openssl_curve(self->type), 0) ||
        !OSSL_PARAM_BLD_push_octet_string(parts, OSSL_PKEY_PARAM_PUB_KEY, self->point.data,
                                          self->point.length) ||
        !OSSL_PARAM_BLD_push_BN_pad(parts, OSSL_PKEY_PARAM_PRIV_KEY, scalar,
                                    private_blob_field_size(self->type)))
        return NULL;
    return build("EC", parts);
}

/* d mod (prime - 1), which OpenSSL needs but the blob does not contain. */
static BIGNUM *exponent_of(const BIGNUM *d, const BIGNUM *prime)
{
    g_autoptr(BN_CTX) context = BN_CTX_secure_new();
    g_autoptr(BIGNUM) less = BN_secure_new(), result = BN_secure_new();
    if (!context || !less || !result || !BN_copy(less, prime) || !BN_sub_word(less, 1))
        return NULL;
    BN_set_flags(less, BN_FLG_CONSTTIME);
    return BN_mod(result, d, less, context) ? g_steal_pointer(&result) : NULL;
}

static EVP_PKEY *build_rsa(const struct private_blob *self)
{
    g_autoptr(OSSL_PARAM_BLD) parts = OSSL_PARAM_BLD_new();
    g_autoptr(BIGNUM) n = secure_number(self->n), e = secure_number(self->e),
                      d = secure_number(self->d);
    g_autoptr(BIGNUM) p = secure_number(self->p), q = secure_number(self->q);
    g_autoptr(BIGNUM) iqmp = secure_number(self->iqmp);
    g_autoptr(BIGNUM) dp = d && p ? exponent_of(d, p) : NULL;
    g_autoptr(BIGNUM) dq = d && q ? exponent_of(d, q) : NULL;
    const struct {
        const char *name;
        const BIGNUM *number;
    } numbers[] = {
        {OSSL_PKEY_PARAM_RSA_N, n},          {OSSL_PKEY_PARAM_RSA_E, e},
        {OSSL_PKEY_PARAM_RSA_D, d},          {OSSL_PKEY_PARAM_RSA_FACTOR1, p},
        {OSSL_PKEY_PARAM_RSA_FACTOR2, q},    {OSSL_PKEY_PARAM_RSA_EXPONENT1, dp},
        {OSSL_PKEY_PARAM_RSA_EXPONENT2, dq}, {OSSL_PKEY_PARAM_RSA_COEFFICIENT1, iqmp},
    };

    for (gsize i = 0; parts && i < G_N_ELEMENTS(numbers); i++) {
        if (!numbers[i].number ||
            !OSSL_PARAM_BLD_push_BN(parts, numbers[i].name, numbers[i].number))
            return NULL;
    }
    return parts ? build("RSA", parts) : NULL;
}

static const EVP_MD *digest_of(enum ssh_algorithm algorithm)
{
    switch (algorithm) {
    case SSH_ALGORITHM_ECDSA_256:
    case SSH_ALGORITHM_RSA_SHA256:
        return EVP_sha256();
    case SSH_ALGORITHM_ECDSA_384:
        return EVP_sha384();
    default:
        return EVP_sha512();
    }
}

/* Converts an ECDSA signature from OpenSSL's DER. */
static gboolean write_ecdsa(struct ssh_writer *to, enum ssh_algorithm algorithm, gsize field,
                            const guint8 *der, gsize length)
{
    guint8 r[66], s[66];
    g_autoptr(ECDSA_SIG) pair = d2i_ECDSA_SIG(NULL, &der, (long)length);
    if (!pair || BN_bn2binpad(ECDSA_SIG_get0_r(pair), r, (int)field) < 0 ||
        BN_bn2binpad(ECDSA_SIG_get0_s(pair), s, (int)field) < 0)
        return FALSE;
    ssh_signature_write_ecdsa(to, algorithm, (struct ssh_span){r, field},
                              (struct ssh_span){s, field});
    return TRUE;
}

gboolean openssl_key_sign(const struct private_blob *self, enum ssh_algorithm algorithm,
                          struct ssh_span data, struct ssh_writer *signature, GError **error)
{
    guint8 raw[RAW_MAX];
    size_t length = sizeof raw;
    g_autoptr(EVP_PKEY) pkey = self->type == SSH_KEY_RSA ? build_rsa(self) : build_ecdsa(self);
    g_autoptr(EVP_MD_CTX) context = EVP_MD_CTX_new();

    if (!pkey)
        return fail_openssl(error, "use this key: its numbers do not match");
    if (!context || EVP_DigestSignInit(context, NULL, digest_of(algorithm), NULL, pkey) != 1 ||
        EVP_DigestSign(context, raw, &length, data.data, data.length) != 1)
        return fail_openssl(error, "sign with this key");
    if (self->type == SSH_KEY_RSA)
        ssh_signature_write(signature, algorithm, (struct ssh_span){raw, length});
    else if (!write_ecdsa(signature, algorithm, private_blob_field_size(self->type), raw, length))
        return fail_openssl(error, "sign with this key");
    return TRUE;
}

gboolean openssl_key_factors_match(const struct private_blob *self)
{
    g_autoptr(BN_CTX) context = BN_CTX_secure_new();
    g_autoptr(BIGNUM) n = secure_number(self->n), p = secure_number(self->p),
                      q = secure_number(self->q);
    g_autoptr(BIGNUM) product = BN_secure_new();
    return context && n && p && q && product && BN_mul(product, p, q, context) &&
           BN_cmp(product, n) == 0;
}
