#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <string.h>

#include "ssh-agent/store/error.h"
#include "ssh-agent/store/evp.h"
#include "ssh-agent/store/evp_number.h"

/* The longest signature: RSA's with SSH_RSA_BITS_MAX. */
#define RAW_MAX (SSH_RSA_BITS_MAX / 8)

static gboolean fail(GError **error, const char *what)
{
    g_set_error(error, KEY_ERROR, KEY_ERROR_FAILED, "OpenSSL cannot %s", what);
    return FALSE;
}

static EVP_PKEY *build(const char *kind, OSSL_PARAM_BLD *parts)
{
    g_autoptr(evp_params) params = OSSL_PARAM_BLD_to_param(parts);
    g_autoptr(EVP_PKEY_CTX) context = EVP_PKEY_CTX_new_from_name(NULL, kind, NULL);
    EVP_PKEY *made = NULL;
    if (!params || !context || EVP_PKEY_fromdata_init(context) != 1 ||
        EVP_PKEY_fromdata(context, &made, EVP_PKEY_KEYPAIR, params) != 1)
        return NULL;
    return made;
}

static EVP_PKEY *build_ecdsa(const struct private_form *self)
{
    g_autoptr(OSSL_PARAM_BLD) parts = OSSL_PARAM_BLD_new();
    g_autoptr(BIGNUM) scalar = evp_number(self->scalar);
    if (!parts || !scalar ||
        !OSSL_PARAM_BLD_push_utf8_string(parts, OSSL_PKEY_PARAM_GROUP_NAME,
                                         private_curve_openssl(self->type), 0) ||
        !OSSL_PARAM_BLD_push_octet_string(parts, OSSL_PKEY_PARAM_PUB_KEY, self->point.data,
                                          self->point.length) ||
        !OSSL_PARAM_BLD_push_BN_pad(parts, OSSL_PKEY_PARAM_PRIV_KEY, scalar,
                                    private_field(self->type)))
        return NULL;
    return build("EC", parts);
}

/* d mod (prime - 1), which the private form leaves out. */
static BIGNUM *exponent_of(const BIGNUM *d, const BIGNUM *prime)
{
    g_autoptr(BN_CTX) context = BN_CTX_secure_new();
    g_autoptr(BIGNUM) less = BN_secure_new(), result = BN_secure_new();
    if (!context || !less || !result || !BN_copy(less, prime) || !BN_sub_word(less, 1))
        return NULL;
    BN_set_flags(less, BN_FLG_CONSTTIME);
    return BN_mod(result, d, less, context) ? g_steal_pointer(&result) : NULL;
}

static EVP_PKEY *build_rsa(const struct private_form *self)
{
    g_autoptr(OSSL_PARAM_BLD) parts = OSSL_PARAM_BLD_new();
    g_autoptr(BIGNUM) n = evp_number(self->n), e = evp_number(self->e), d = evp_number(self->d);
    g_autoptr(BIGNUM) p = evp_number(self->p), q = evp_number(self->q);
    g_autoptr(BIGNUM) iqmp = evp_number(self->iqmp);
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

/* OpenSSL gives ECDSA signatures in DER. */
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

gboolean evp_sign(const struct private_form *self, enum ssh_algorithm algorithm,
                  struct ssh_span data, struct ssh_writer *signature, GError **error)
{
    guint8 raw[RAW_MAX];
    size_t length = sizeof raw;
    g_autoptr(EVP_PKEY) pkey = self->type == SSH_KEY_RSA ? build_rsa(self) : build_ecdsa(self);
    g_autoptr(EVP_MD_CTX) context = EVP_MD_CTX_new();

    if (!pkey)
        return fail(error, "use this key: its parts do not fit");
    if (!context || EVP_DigestSignInit(context, NULL, digest_of(algorithm), NULL, pkey) != 1 ||
        EVP_DigestSign(context, raw, &length, data.data, data.length) != 1)
        return fail(error, "sign with this key");
    if (self->type == SSH_KEY_RSA)
        ssh_signature_write(signature, algorithm, (struct ssh_span){raw, length});
    else if (!write_ecdsa(signature, algorithm, private_field(self->type), raw, length))
        return fail(error, "sign with this key");
    return TRUE;
}

gboolean evp_factors_fit(const struct private_form *self)
{
    g_autoptr(BN_CTX) context = BN_CTX_secure_new();
    g_autoptr(BIGNUM) n = evp_number(self->n), p = evp_number(self->p), q = evp_number(self->q);
    g_autoptr(BIGNUM) product = BN_secure_new();
    return context && n && p && q && product && BN_mul(product, p, q, context) &&
           BN_cmp(product, n) == 0;
}
