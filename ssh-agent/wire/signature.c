#include "ssh-agent/wire/signature.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <sodium.h>
#include <string.h>

#define ED25519_SIGNATURE 64
/* Bytes of the order of nistp521, the largest curve. */
#define ECDSA_NUMBER_MAX 66

static const struct {
    const char *name;
    enum ssh_key_type key;
    const char *certificate; /* name in userauth with a certificate; NULL: the key type's name */
} algorithms[] = {
    [SSH_ALGORITHM_NONE] = {"", SSH_KEY_TYPES, ""},
    [SSH_ALGORITHM_ED25519] = {"ssh-ed25519", SSH_KEY_ED25519, NULL},
    [SSH_ALGORITHM_ECDSA_256] = {"ecdsa-sha2-nistp256", SSH_KEY_ECDSA_256, NULL},
    [SSH_ALGORITHM_ECDSA_384] = {"ecdsa-sha2-nistp384", SSH_KEY_ECDSA_384, NULL},
    [SSH_ALGORITHM_ECDSA_521] = {"ecdsa-sha2-nistp521", SSH_KEY_ECDSA_521, NULL},
    [SSH_ALGORITHM_RSA_SHA256] = {"rsa-sha2-256", SSH_KEY_RSA, "rsa-sha2-256-cert-v01@openssh.com"},
    [SSH_ALGORITHM_RSA_SHA512] = {"rsa-sha2-512", SSH_KEY_RSA, "rsa-sha2-512-cert-v01@openssh.com"},
    [SSH_ALGORITHM_SK_ED25519] = {"sk-ssh-ed25519@openssh.com", SSH_KEY_SK_ED25519, NULL},
    [SSH_ALGORITHM_SK_ECDSA] = {"sk-ecdsa-sha2-nistp256@openssh.com", SSH_KEY_SK_ECDSA, NULL},
};
_Static_assert(sizeof algorithms / sizeof *algorithms == SSH_ALGORITHMS,
               "one row for each algorithm");

static enum ssh_algorithm rsa_algorithm(uint32_t flags)
{
    if (flags & SSH_FLAG_SHA256)
        return SSH_ALGORITHM_RSA_SHA256;
    return flags & SSH_FLAG_SHA512 ? SSH_ALGORITHM_RSA_SHA512 : SSH_ALGORITHM_NONE;
}

enum ssh_algorithm ssh_algorithm_for(const struct ssh_key *key, uint32_t flags)
{
    if (flags & ~(SSH_FLAG_SHA256 | SSH_FLAG_SHA512))
        return SSH_ALGORITHM_NONE;
    if (key->type == SSH_KEY_RSA)
        return rsa_algorithm(flags);
    enum ssh_algorithm algorithm = SSH_ALGORITHM_NONE;
    for (int i = 0; i < SSH_ALGORITHMS; i++)
        if (algorithms[i].key == key->type)
            algorithm = (enum ssh_algorithm)i;
    return algorithm;
}

const char *ssh_algorithm_name(enum ssh_algorithm algorithm)
{
    return algorithms[algorithm].name;
}

enum ssh_algorithm ssh_algorithm_by_name(struct ssh_span name)
{
    for (int i = SSH_ALGORITHM_NONE + 1; i < SSH_ALGORITHMS; i++)
        if (ssh_span_equal(name, ssh_span_text(algorithms[i].name)))
            return (enum ssh_algorithm)i;
    return SSH_ALGORITHM_NONE;
}

bool ssh_algorithm_fits(enum ssh_algorithm algorithm, const struct ssh_key *key)
{
    return algorithm != SSH_ALGORITHM_NONE && algorithms[algorithm].key == key->type;
}

bool ssh_algorithm_is_userauth_name(enum ssh_algorithm algorithm, const struct ssh_key *key,
                                    struct ssh_span name)
{
    if (!ssh_algorithm_fits(algorithm, key))
        return false;
    const char *expected = algorithms[algorithm].name;
    if (key->is_certificate)
        expected = algorithms[algorithm].certificate ? algorithms[algorithm].certificate
                                                     : ssh_key_type_name(key->type, true);
    return ssh_span_equal(name, ssh_span_text(expected));
}

static bool is_ecdsa(enum ssh_algorithm algorithm)
{
    return algorithm == SSH_ALGORITHM_ECDSA_256 || algorithm == SSH_ALGORITHM_ECDSA_384 ||
           algorithm == SSH_ALGORITHM_ECDSA_521 || algorithm == SSH_ALGORITHM_SK_ECDSA;
}

static bool is_sk(enum ssh_algorithm algorithm)
{
    return algorithm == SSH_ALGORITHM_SK_ED25519 || algorithm == SSH_ALGORITHM_SK_ECDSA;
}

static bool parse_raw(struct ssh_signature *self)
{
    struct ssh_reader reader = ssh_reader_of(self->raw);
    if (is_ecdsa(self->algorithm))
        return ssh_read_mpint(&reader, &self->r) && ssh_read_mpint(&reader, &self->s) &&
               ssh_reader_done(&reader);
    if (algorithms[self->algorithm].key == SSH_KEY_RSA)
        return self->raw.length > 0 && self->raw.length <= SSH_RSA_BITS_MAX / 8;
    return self->raw.length == ED25519_SIGNATURE;
}

bool ssh_signature_parse(struct ssh_signature *self, struct ssh_span blob)
{
    struct ssh_reader reader = ssh_reader_of(blob);
    struct ssh_span name;
    *self = (struct ssh_signature){0};
    if (ssh_read_string(&reader, &name))
        self->algorithm = ssh_algorithm_by_name(name);
    ssh_read_string(&reader, &self->raw);
    if (is_sk(self->algorithm)) {
        ssh_read_byte(&reader, &self->sk_flags);
        ssh_read_u32(&reader, &self->sk_counter);
    }
    if (self->algorithm != SSH_ALGORITHM_NONE && ssh_reader_done(&reader) && parse_raw(self))
        return true;
    *self = (struct ssh_signature){0};
    return false;
}

void ssh_signature_write(struct ssh_writer *to, enum ssh_algorithm algorithm, struct ssh_span raw)
{
    ssh_write_text(to, ssh_algorithm_name(algorithm));
    ssh_write_string(to, raw);
}

void ssh_signature_write_ecdsa(struct ssh_writer *to, enum ssh_algorithm algorithm,
                               struct ssh_span r, struct ssh_span s)
{
    ssh_write_text(to, ssh_algorithm_name(algorithm));
    size_t mark = ssh_write_begin(to);
    ssh_write_mpint(to, r);
    ssh_write_mpint(to, s);
    ssh_write_end(to, mark);
}

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

static BIGNUM *bignum_from(struct ssh_span magnitude)
{
    return BN_bin2bn(magnitude.data, (int)magnitude.length, NULL);
}

/* Makes a public key of TYPE ("EC", "RSA") from PARAMS; NULL if OpenSSL rejects them. */
static EVP_PKEY *public_key_from(const char *type, OSSL_PARAM *params)
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
    return public_key_from("EC", params);
}

static EVP_PKEY *rsa_key(const struct ssh_key *key)
{
    EVP_PKEY *result = NULL;
    OSSL_PARAM *params = NULL;
    BIGNUM *n = bignum_from(key->rsa_n), *e = bignum_from(key->rsa_e);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (n && e && builder && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1 &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1)
        params = OSSL_PARAM_BLD_to_param(builder);
    if (params)
        result = public_key_from("RSA", params);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(builder);
    BN_free(n);
    BN_free(e);
    return result;
}

/* Frees KEY, which may be NULL. */
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
    if (signature->r.length > ECDSA_NUMBER_MAX || signature->s.length > ECDSA_NUMBER_MAX)
        return false;
    unsigned char *der = NULL;
    BIGNUM *r = bignum_from(signature->r), *s = bignum_from(signature->s);
    ECDSA_SIG *pair = ECDSA_SIG_new();
    int length = -1;
    if (r && s && pair && ECDSA_SIG_set0(pair, r, s) == 1) {
        r = s = NULL; /* owned by the pair */
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

/* Some servers drop leading zeros of the signature, but OpenSSL needs as many bytes as the modulus
 * has. */
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

bool ssh_signature_verify(const struct ssh_key *key, struct ssh_span signature,
                          struct ssh_span data)
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

bool ssh_certificate_verify(const struct ssh_key *key, enum ssh_certificate_kind kind, uint64_t now)
{
    const struct ssh_certificate *certificate = &key->certificate;
    struct ssh_key authority;
    return key->is_certificate && certificate->kind == kind && certificate->valid_after <= now &&
           now < certificate->valid_before && certificate->critical_options.length == 0 &&
           ssh_key_parse(&authority, certificate->authority) &&
           ssh_signature_verify(&authority, certificate->signature, certificate->signed_part);
}
