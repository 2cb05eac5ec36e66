#include "ssh-agent/store/key_file.h"

#include <sodium.h>
#include <string.h>

#include "ssh-agent/store/key_error.h"
#include "ssh-agent/store/openssl_key.h"

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
    g_autoptr(EVP_PKEY) pkey = key_file_read_pem(data, length, passphrase, error);
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
