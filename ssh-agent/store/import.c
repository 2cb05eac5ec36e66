#include "ssh-agent/store/import.h"

#include <sodium.h>
#include <string.h>

#include "ssh-agent/store/error.h"
#include "ssh-agent/store/evp.h"
#include "ssh-agent/store/evp_number.h"
#include "ssh-agent/store/openssh.h"
#include "ssh-agent/store/pem.h"

/* Files that people take for private keys, by what they begin with or have in them. */
static const struct {
    const char *text, *why;
} others[] = {
    {"PuTTY-User-Key-File-",
     "this is a PuTTY key: 'puttygen KEY -O private-openssh -o NEW' makes one that can be read"},
    {"---- BEGIN SSH2 ", "this is a public key, or one of SSH2; a private key in OpenSSH's format, "
                         "PEM or PKCS#8 is wanted"},
    {"-----BEGIN PUBLIC KEY-----", "this is a public key; the private one is wanted"},
    {"-----BEGIN RSA PUBLIC KEY-----", "this is a public key; the private one is wanted"},
    {"-----BEGIN CERTIFICATE-----", "this is a certificate; the private key is wanted"},
    {"ssh-", "this is a public key; the private one, without '.pub', is wanted"},
    {"ecdsa-sha2-", "this is a public key; the private one, without '.pub', is wanted"},
    {"sk-", "this is a public key; the private one, without '.pub', is wanted"},
};

static const guint8 *find(const guint8 *data, gsize length, const char *text)
{
    if (!data) /* no bytes at all */
        return NULL;
    return memmem(data, length, text, strlen(text));
}

static store_key *not_a_key(const guint8 *data, gsize length, GError **error)
{
    const char *why = "this is no private key in OpenSSH's format, PEM or PKCS#8";
    for (gsize i = 0; i < G_N_ELEMENTS(others); i++) {
        gsize size = strlen(others[i].text);
        gboolean first = length >= size && memcmp(data, others[i].text, size) == 0;
        if (first || (others[i].text[0] == '-' && find(data, length, others[i].text))) {
            why = others[i].why;
            break;
        }
    }
    g_set_error_literal(error, KEY_ERROR, KEY_ERROR_FORMAT, why);
    return NULL;
}

static store_key *import_openssh(const guint8 *text, gsize length, const secret *passphrase,
                                 char **comment, GError **error)
{
    const guint8 *end = find(text, length, "-----END OPENSSH PRIVATE KEY-----");
    g_autoptr(secret) bytes = secret_new(length);
    size_t used;
    if (!end) {
        g_set_error(error, KEY_ERROR, KEY_ERROR_FORMAT, "the key file is cut off");
        return NULL;
    }
    if (sodium_base642bin(bytes->data, bytes->length, (const char *)text, end - text, "\r\n\t ",
                          &used, NULL, sodium_base64_VARIANT_ORIGINAL) != 0) {
        g_set_error(error, KEY_ERROR, KEY_ERROR_FORMAT, "the key file is damaged");
        return NULL;
    }
    return openssh_read((struct ssh_span){bytes->data, used}, passphrase, comment, error);
}

static store_key *import_pem(const guint8 *data, gsize length, const secret *passphrase,
                             GError **error)
{
    g_autoptr(EVP_PKEY) pkey = pem_read(data, length, passphrase, error);
    g_autoptr(secret) form = pkey ? evp_to_private(pkey, error) : NULL;
    return form ? store_key_from_private((struct ssh_span){form->data, form->length}, error) : NULL;
}

store_key *import_key(const guint8 *data, gsize length, const secret *passphrase, char **comment,
                      GError **error)
{
    g_autofree char *text = NULL;
    g_autoptr(store_key) found = NULL;
    if (length > IMPORT_MAX) {
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
    if (!found || !store_key_check(found, error))
        return NULL;
    if (comment)
        *comment = g_steal_pointer(&text);
    return g_steal_pointer(&found);
}
