#include "ssh-agent/wire/verify.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <sodium.h>
#include <string.h>

#define HASHED_PREFIX "|1|"
#define HASHED_SIZE 20

static const char *digest_name(enum ssh_algorithm algorithm)
{
    switch (algorithm) {
    case SSH_ALGORITHM_ECDSA_384:
        return "SHA384";
    case SSH_ALGORITHM_ECDSA_521:
    case SSH_ALGORITHM_RSA_SHA512:
        return "SHA512";
    default:
        return "SHA256";
    }
}

static const char *group_name(enum ssh_key_type type)
{
    switch (type) {
    case SSH_KEY_ECDSA_384:
        return "P-384";
    case SSH_KEY_ECDSA_521:
        return "P-521";
    default:
        return "P-256";
    }
}

static BIGNUM *number_of(struct ssh_span magnitude)
{
    return BN_bin2bn(magnitude.data, (int)magnitude.length, NULL);
}

/* Makes a public key of TYPE ("EC", "RSA") from PARAMS; NULL when OpenSSL finds it wrong. */
static EVP_PKEY *key_from(const char *type, OSSL_PARAM *params)
{
    EVP_PKEY *result = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    if (!context || EVP_PKEY_fromdata_init(context) != 1 ||
        EVP_PKEY_fromdata(context, &result, EVP_PKEY_PUBLIC_KEY, params) != 1)
        result = NULL;
    EVP_PKEY_CTX_free(context);
    return result;
}

static EVP_PKEY *ecdsa_key(const struct ssh_key *key)
{
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)group_name(key->type),
                                         0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)key->point.data,
                                          key->point.length),
        OSSL_PARAM_construct_end(),
    };
    return key_from("EC", params);
}

static EVP_PKEY *rsa_key(const struct ssh_key *key)
{
    EVP_PKEY *result = NULL;
    OSSL_PARAM *params = NULL;
    BIGNUM *n = number_of(key->rsa_n), *e = number_of(key->rsa_e);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (n && e && builder && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1 &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1)
        params = OSSL_PARAM_BLD_to_param(builder);
    if (params)
        result = key_from("RSA", params);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(builder);
    BN_free(n);
    BN_free(e);
    return result;
}

/* Takes KEY. */
static bool openssl_verify(EVP_PKEY *key, const char *digest, struct ssh_span signature,
                           struct ssh_span data)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool good =
        key && context &&
        EVP_DigestVerifyInit_ex(context, NULL, digest, NULL, NULL, key, NULL) == 1 &&
        EVP_DigestVerify(context, signature.data, signature.length, data.data, data.length) == 1;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    return good;
}

static bool verify_ecdsa(const struct ssh_key *key, const struct ssh_signature *signature,
                         struct ssh_span data)
{
    /* Longer numbers are beyond every curve's order. */
    if (signature->r.length > 66 || signature->s.length > 66)
        return false;
    unsigned char *der = NULL;
    BIGNUM *r = number_of(signature->r), *s = number_of(signature->s);
    ECDSA_SIG *pair = ECDSA_SIG_new();
    int length = -1;
    if (r && s && pair && ECDSA_SIG_set0(pair, r, s) == 1) {
        r = s = NULL; /* the pair's now */
        length = i2d_ECDSA_SIG(pair, &der);
    }
    bool good = length > 0 && openssl_verify(ecdsa_key(key), digest_name(signature->algorithm),
                                             (struct ssh_span){der, (size_t)length}, data);
    OPENSSL_free(der);
    ECDSA_SIG_free(pair);
    BN_free(r);
    BN_free(s);
    return good;
}

/* Some servers drop leading zeros of the number; OpenSSL wants all of the modulus' size. */
static bool verify_rsa(const struct ssh_key *key, const struct ssh_signature *signature,
                       struct ssh_span data)
{
    uint8_t padded[SSH_RSA_BITS_MAX / 8] = {0};
    size_t size = key->rsa_n.length;
    if (size > sizeof padded || signature->raw.length > size)
        return false;
    memcpy(padded + size - signature->raw.length, signature->raw.data, signature->raw.length);
    return openssl_verify(rsa_key(key), digest_name(signature->algorithm),
                          (struct ssh_span){padded, size}, data);
}

bool ssh_verify(const struct ssh_key *key, struct ssh_span signature, struct ssh_span data)
{
    struct ssh_signature parsed;
    if (!ssh_signature_parse(&parsed, signature) || !ssh_algorithm_fits(parsed.algorithm, key))
        return false;
    switch (key->type) {
    case SSH_KEY_ED25519:
        return crypto_sign_verify_detached(parsed.raw.data, data.data, data.length,
                                           key->point.data) == 0;
    case SSH_KEY_ECDSA_256:
    case SSH_KEY_ECDSA_384:
    case SSH_KEY_ECDSA_521:
        return verify_ecdsa(key, &parsed, data);
    case SSH_KEY_RSA:
        return verify_rsa(key, &parsed, data);
    default:
        return false;
    }
}

bool ssh_verify_certificate(const struct ssh_key *key, enum ssh_certificate_kind kind, uint64_t now)
{
    const struct ssh_certificate *certificate = &key->certificate;
    struct ssh_key authority;
    return key->is_certificate && certificate->kind == kind && certificate->valid_after <= now &&
           now < certificate->valid_before && certificate->critical_options.length == 0 &&
           ssh_key_parse(&authority, certificate->authority) &&
           ssh_verify(&authority, certificate->signature, certificate->signed_part);
}

static bool decode_hash(struct ssh_span text, uint8_t bytes[HASHED_SIZE])
{
    size_t length;
    return sodium_base642bin(bytes, HASHED_SIZE, (const char *)text.data, text.length, NULL,
                             &length, NULL, sodium_base64_VARIANT_ORIGINAL) == 0 &&
           length == HASHED_SIZE;
}

bool ssh_verify_hashed_name(struct ssh_span hashed, struct ssh_span name)
{
    uint8_t salt[HASHED_SIZE], expected[HASHED_SIZE], actual[EVP_MAX_MD_SIZE];
    const size_t prefix = sizeof HASHED_PREFIX - 1;
    unsigned length;
    if (hashed.length <= prefix || memcmp(hashed.data, HASHED_PREFIX, prefix) != 0)
        return false;
    struct ssh_span salt_text = {hashed.data + prefix, hashed.length - prefix};
    const uint8_t *bar = memchr(salt_text.data, '|', salt_text.length);
    if (!bar)
        return false;
    struct ssh_span hash_text = {bar + 1, (size_t)(hashed.data + hashed.length - (bar + 1))};
    salt_text.length = (size_t)(bar - salt_text.data);
    return decode_hash(salt_text, salt) && decode_hash(hash_text, expected) &&
           HMAC(EVP_sha1(), salt, sizeof salt, name.data, name.length, actual, &length) &&
           length == HASHED_SIZE && memcmp(actual, expected, HASHED_SIZE) == 0;
}
