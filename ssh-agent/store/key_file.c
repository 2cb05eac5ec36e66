#include "ssh-agent/store/key_file.h"

#include <openssl/decoder.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509.h>
#include <sodium.h>
#include <string.h>

#include "ssh-agent/store/key_error.h"
#include "ssh-agent/store/openssl_key.h"

/*
 * Private keys in PEM: PKCS#8, encrypted or not, and the older "RSA PRIVATE KEY" and "EC PRIVATE
 * KEY". OpenSSL decodes a block only after its type and the cost of its encryption were checked:
 * OpenSSL's automatic decoder would derive keys for hours, or compute with DSA numbers of any size,
 * if a file asks for it.
 */
#define PRIVATE "PRIVATE KEY"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(BIO, BIO_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(OSSL_DECODER_CTX, OSSL_DECODER_CTX_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PBE2PARAM, PBE2PARAM_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PBEPARAM, PBEPARAM_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PBKDF2PARAM, PBKDF2PARAM_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PKCS8_PRIV_KEY_INFO, PKCS8_PRIV_KEY_INFO_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SCRYPT_PARAMS, SCRYPT_PARAMS_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(X509_SIG, X509_SIG_free)

typedef struct {
    char *name, *header;
    guint8 *data;
    long size, length; /* bytes of data; after decryption the length may be smaller */
} block;

static void block_clear(block *self)
{
    OPENSSL_free(self->name);
    OPENSSL_free(self->header);
    OPENSSL_clear_free(self->data, (gsize)self->size);
    *self = (block){0};
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(block, block_clear)

static gpointer refuse_file(GError **error, key_error code, const char *why)
{
    g_set_error_literal(error, KEY_ERROR, code, why);
    return NULL;
}

static gpointer file_damaged(GError **error)
{
    return refuse_file(error, KEY_ERROR_FORMAT,
                       "the key file is damaged, or not supported by OpenSSL");
}

static gpointer needs_passphrase(GError **error)
{
    return refuse_file(error, KEY_ERROR_PASSPHRASE,
                       "the key file is encrypted: it needs its passphrase");
}

static gpointer wrong_passphrase(GError **error)
{
    return refuse_file(error, KEY_ERROR_PASSWORD, "the passphrase is wrong");
}

static gboolean is_at_most(const ASN1_INTEGER *number, guint64 most, guint64 *value)
{
    return number && ASN1_INTEGER_get_uint64(value, number) == 1 && *value <= most;
}

static gboolean scrypt_is_affordable(const ASN1_TYPE *parameter)
{
    guint64 n, r, p;
    g_autoptr(SCRYPT_PARAMS) given =
        ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(SCRYPT_PARAMS), parameter);
    return given && is_at_most(given->costParameter, KEY_FILE_PEM_SCRYPT_MAX, &n) &&
           is_at_most(given->blockSize, KEY_FILE_PEM_SCRYPT_MAX, &r) &&
           n * r <= KEY_FILE_PEM_SCRYPT_MAX &&
           is_at_most(given->parallelizationParameter, KEY_FILE_PEM_SCRYPT_MAX, &p) &&
           n * r * p <= KEY_FILE_PEM_SCRYPT_MAX;
}

static gboolean pbkdf2_is_affordable(const ASN1_TYPE *parameter)
{
    guint64 iterations;
    g_autoptr(PBKDF2PARAM) given =
        ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBKDF2PARAM), parameter);
    return given && is_at_most(given->iter, KEY_FILE_PEM_ITERATIONS_MAX, &iterations);
}

/* PKCS#5 1.5 and PKCS#12 have one algorithm that includes the cipher. */
static gboolean older_is_affordable(const ASN1_TYPE *parameter)
{
    guint64 iterations;
    g_autoptr(PBEPARAM) given = ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBEPARAM), parameter);
    return given && is_at_most(given->iter, KEY_FILE_PEM_ITERATIONS_MAX, &iterations);
}

static gboolean is_affordable(const X509_ALGOR *encryption)
{
    if (OBJ_obj2nid(encryption->algorithm) != NID_pbes2)
        return older_is_affordable(encryption->parameter);
    g_autoptr(PBE2PARAM) both =
        ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBE2PARAM), encryption->parameter);
    int kdf = both ? OBJ_obj2nid(both->keyfunc->algorithm) : NID_undef;
    return (kdf == NID_id_pbkdf2 && pbkdf2_is_affordable(both->keyfunc->parameter)) ||
           (kdf == NID_id_scrypt && scrypt_is_affordable(both->keyfunc->parameter));
}

static EVP_PKEY *from_info(const PKCS8_PRIV_KEY_INFO *info, GError **error)
{
    const ASN1_OBJECT *kind;
    if (PKCS8_pkey_get0(&kind, NULL, NULL, NULL, info) != 1)
        return file_damaged(error);
    int number = OBJ_obj2nid(kind);
    if (number != NID_rsaEncryption && number != NID_X9_62_id_ecPublicKey && number != NID_ED25519)
        return openssl_key_refuse_kind(OBJ_nid2sn(number), error);
    EVP_PKEY *found = EVP_PKCS82PKEY(info);
    return found ? found : file_damaged(error);
}

static EVP_PKEY *read_plain(const block *self, const secret *passphrase, GError **error)
{
    const guint8 *at = self->data;
    g_autoptr(PKCS8_PRIV_KEY_INFO) info = d2i_PKCS8_PRIV_KEY_INFO(NULL, &at, self->length);
    return info ? from_info(info, error) : file_damaged(error);
}

static EVP_PKEY *read_encrypted(const block *self, const secret *passphrase, GError **error)
{
    const guint8 *at = self->data;
    const X509_ALGOR *encryption;
    g_autoptr(X509_SIG) sealed = d2i_X509_SIG(NULL, &at, self->length);
    if (!sealed)
        return file_damaged(error);
    X509_SIG_get0(sealed, &encryption, NULL);
    if (!is_affordable(encryption))
        return refuse_file(
            error, KEY_ERROR_FORMAT,
            "the key file's passphrase parameters are not supported, or would take too "
            "long: change them with 'ssh-keygen -p -f FILE'");
    if (!passphrase)
        return needs_passphrase(error);
    g_autoptr(PKCS8_PRIV_KEY_INFO) info =
        PKCS8_decrypt(sealed, (const char *)passphrase->data, (int)passphrase->length);
    return info ? from_info(info, error) : wrong_passphrase(error);
}

static int passphrase_callback(char *to, int size, int writing, void *data)
{
    const secret *passphrase = data;
    if (passphrase->length > (gsize)size)
        return -1;
    memcpy(to, passphrase->data, passphrase->length);
    return (int)passphrase->length;
}

/* Decrypts a block with "Proc-Type: 4,ENCRYPTED". The file cannot choose the cost: the key is
 * derived with one round of MD5. */
static gboolean decrypt_older(block *self, const secret *passphrase, GError **error)
{
    EVP_CIPHER_INFO cipher;
    if (PEM_get_EVP_CIPHER_INFO(self->header, &cipher) != 1)
        return file_damaged(error) != NULL;
    if (cipher.cipher && !passphrase)
        return needs_passphrase(error) != NULL;
    return PEM_do_header(&cipher, self->data, &self->length, passphrase_callback,
                         (void *)passphrase) == 1 ||
           wrong_passphrase(error) != NULL;
}

static EVP_PKEY *read_older(block *self, const char *kind, const secret *passphrase, GError **error)
{
    EVP_PKEY *found = NULL;
    if (!decrypt_older(self, passphrase, error))
        return NULL;
    const guint8 *at = self->data;
    gsize left = (gsize)self->length;
    g_autoptr(OSSL_DECODER_CTX) decoder = OSSL_DECODER_CTX_new_for_pkey(
        &found, "DER", "type-specific", kind, EVP_PKEY_KEYPAIR, NULL, NULL);
    if (decoder && OSSL_DECODER_from_data(decoder, &at, &left) == 1 && found)
        return found;
    EVP_PKEY_free(found);
    return file_damaged(error);
}

static EVP_PKEY *read_block(block *self, const secret *passphrase, GError **error)
{
    if (strcmp(self->name, PRIVATE) == 0)
        return read_plain(self, passphrase, error);
    if (strcmp(self->name, "ENCRYPTED " PRIVATE) == 0)
        return read_encrypted(self, passphrase, error);
    if (strcmp(self->name, "RSA " PRIVATE) == 0)
        return read_older(self, "RSA", passphrase, error);
    if (strcmp(self->name, "EC " PRIVATE) == 0)
        return read_older(self, "EC", passphrase, error);
    return openssl_key_refuse_kind(self->name, error);
}

/* The first private key in DATA. */
static EVP_PKEY *read_pem(const guint8 *data, gsize length, const secret *passphrase,
                          GError **error)
{
    g_autoptr(BIO) file = BIO_new_mem_buf(data, (int)length);
    EVP_PKEY *found = NULL;
    gboolean seen = FALSE;
    while (file && !seen) {
        g_auto(block) next = {0};
        if (PEM_read_bio(file, &next.name, &next.header, &next.data, &next.length) != 1)
            break;
        next.size = next.length;
        /* Curve parameters and certificates may come first. */
        seen = g_str_has_suffix(next.name, PRIVATE);
        if (seen)
            found = read_block(&next, passphrase, error);
    }
    ERR_clear_error();
    return seen ? found : file_damaged(error);
}

#define USE_PRIVATE "this is a public key: use the private one"
#define USE_PRIVATE_FILE "this is a public key: use the private one, without '.pub'"

/* Other kinds of key files: text that they start with or, if it starts with "-", contain. */
static const struct {
    const char *text, *why;
} others[] = {
    {"PuTTY-User-Key-File-",
     "this is a PuTTY key: convert it with 'puttygen KEY -O private-openssh -o NEW'"},
    {"---- BEGIN SSH2 ",
     "this is a public key, or a key of ssh.com: use a private key in OpenSSH's "
     "format, PEM or PKCS#8"},
    {"-----BEGIN PUBLIC KEY-----", USE_PRIVATE},
    {"-----BEGIN RSA PUBLIC KEY-----", USE_PRIVATE},
    {"-----BEGIN CERTIFICATE-----", "this is a certificate: use the private key"},
    {"ssh-", USE_PRIVATE_FILE},
    {"ecdsa-sha2-", USE_PRIVATE_FILE},
    {"sk-", USE_PRIVATE_FILE},
};

static const guint8 *find(const guint8 *data, gsize length, const char *text)
{
    if (!data) /* memmem() must not get NULL */
        return NULL;
    return memmem(data, length, text, strlen(text));
}

static private_key *not_a_key(const guint8 *data, gsize length, GError **error)
{
    const char *why = "this is not a private key in OpenSSH's format, PEM or PKCS#8";
    for (gsize i = 0; i < G_N_ELEMENTS(others); i++) {
        gsize size = strlen(others[i].text);
        gboolean at_start = length >= size && memcmp(data, others[i].text, size) == 0;
        if (at_start || (others[i].text[0] == '-' && find(data, length, others[i].text))) {
            why = others[i].why;
            break;
        }
    }
    g_set_error_literal(error, KEY_ERROR, KEY_ERROR_FORMAT, why);
    return NULL;
}

static private_key *import_openssh(const guint8 *text, gsize length, const secret *passphrase,
                                   char **comment, GError **error)
{
    const guint8 *end = find(text, length, "-----END OPENSSH PRIVATE KEY-----");
    g_autoptr(secret) bytes = secret_new(length);
    size_t used;
    if (!end) {
        g_set_error(error, KEY_ERROR, KEY_ERROR_FORMAT, "the key file is truncated");
        return NULL;
    }
    if (sodium_base642bin(bytes->data, bytes->length, (const char *)text, end - text, "\r\n\t ",
                          &used, NULL, sodium_base64_VARIANT_ORIGINAL) != 0) {
        g_set_error(error, KEY_ERROR, KEY_ERROR_FORMAT, "the key file is damaged");
        return NULL;
    }
    return key_file_read_openssh((struct ssh_span){bytes->data, used}, passphrase, comment, error);
}

static private_key *import_pem(const guint8 *data, gsize length, const secret *passphrase,
                               GError **error)
{
    g_autoptr(EVP_PKEY) pkey = read_pem(data, length, passphrase, error);
    g_autoptr(secret) blob = pkey ? openssl_key_to_blob(pkey, error) : NULL;
    return blob ? private_key_from_blob((struct ssh_span){blob->data, blob->length}, error) : NULL;
}

private_key *key_file_import(const guint8 *data, gsize length, const secret *passphrase,
                             char **comment, GError **error)
{
    g_autofree char *text = NULL;
    g_autoptr(private_key) found = NULL;
    if (length > KEY_FILE_MAX) {
        g_set_error(error, KEY_ERROR, KEY_ERROR_FORMAT, "the file is too large for a key");
        return NULL;
    }
    const guint8 *openssh = find(data, length, "-----BEGIN OPENSSH PRIVATE KEY-----");
    if (openssh) {
        gsize begin = openssh - data + strlen("-----BEGIN OPENSSH PRIVATE KEY-----");
        found = import_openssh(data + begin, length - begin, passphrase, &text, error);
    } else if (find(data, length, "PRIVATE KEY-----")) {
        found = import_pem(data, length, passphrase, error);
    } else {
        return not_a_key(data, length, error);
    }
    if (!found || !private_key_check(found, error))
        return NULL;
    if (comment)
        *comment = g_steal_pointer(&text);
    return g_steal_pointer(&found);
}
