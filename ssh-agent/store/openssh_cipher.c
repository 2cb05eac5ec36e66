#include "ssh-agent/store/openssh_cipher.h"

#include <openssl/evp.h>
#include <sodium.h>
#include <string.h>

#include "ssh-agent/store/bcrypt_pbkdf.h"
#include "ssh-agent/store/secret.h"

/* Limit in bytes: OpenSSL's lengths are int, and key files are far smaller. */
#define LENGTH_MAX (1 << 20)

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EVP_CIPHER_CTX, EVP_CIPHER_CTX_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EVP_CIPHER, EVP_CIPHER_free)

static const openssh_cipher ciphers[] = {
    {"aes256-ctr", "AES-256-CTR", 32, 16, 16, 0},
    {"aes256-gcm@openssh.com", "AES-256-GCM", 32, 12, 16, 16},
    {"chacha20-poly1305@openssh.com", NULL, 64, 0, 8, 16},
    {"aes256-cbc", "AES-256-CBC", 32, 16, 16, 0},
    {"aes192-ctr", "AES-192-CTR", 24, 16, 16, 0},
    {"aes192-cbc", "AES-192-CBC", 24, 16, 16, 0},
    {"aes128-ctr", "AES-128-CTR", 16, 16, 16, 0},
    {"aes128-cbc", "AES-128-CBC", 16, 16, 16, 0},
    {"aes128-gcm@openssh.com", "AES-128-GCM", 16, 12, 16, 16},
};

const openssh_cipher *openssh_cipher_find(const char *name, gsize length)
{
    for (gsize i = 0; i < G_N_ELEMENTS(ciphers); i++) {
        if (strlen(ciphers[i].name) == length && memcmp(ciphers[i].name, name, length) == 0)
            return &ciphers[i];
    }
    return NULL;
}

/* OpenSSH's PROTOCOL.chacha20poly1305, with sequence number 0 and without an encrypted length; so
 * the second half of the key, which is for lengths, is not used. */
static gboolean decrypt_chacha(const guint8 *key, const guint8 *data, gsize length, guint8 *out)
{
    static const guint8 nonce[crypto_stream_chacha20_NONCEBYTES];
    g_autoptr(secret) once = secret_new(crypto_onetimeauth_KEYBYTES);

    return crypto_stream_chacha20(once->data, once->length, nonce, key) == 0 &&
           crypto_onetimeauth_verify(data + length, data, length, once->data) == 0 &&
           crypto_stream_chacha20_xor_ic(out, data, length, nonce, 1, key) == 0;
}

static gboolean run_openssl(const openssh_cipher *self, const guint8 *key, const guint8 *data,
                            gsize length, guint8 *out, gboolean encrypt)
{
    g_autoptr(EVP_CIPHER) kind = EVP_CIPHER_fetch(NULL, self->openssl, NULL);
    g_autoptr(EVP_CIPHER_CTX) context = EVP_CIPHER_CTX_new();
    int wrote = 0, rest = 0;

    if (!kind || !context || length > LENGTH_MAX ||
        EVP_CipherInit_ex2(context, kind, key, key + self->key, encrypt, NULL) != 1 ||
        EVP_CIPHER_CTX_set_padding(context, 0) != 1)
        return FALSE;
    if (self->tag > 0 && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, (int)self->tag,
                                             (void *)(data + length)) != 1)
        return FALSE;
    return EVP_CipherUpdate(context, out, &wrote, data, (int)length) == 1 &&
           EVP_CipherFinal_ex(context, out + wrote, &rest) == 1 && wrote + rest == (int)length;
}

gboolean openssh_cipher_decrypt(const openssh_cipher *self, const guint8 *key, const guint8 *data,
                                gsize length, guint8 *out)
{
    if (!self->openssl)
        return decrypt_chacha(key, data, length, out);
    return run_openssl(self, key, data, length, out, FALSE);
}

gboolean openssh_cipher_encrypt(const openssh_cipher *self, const guint8 *key, const guint8 *data,
                                gsize length, guint8 *out)
{
    return self->openssl && self->tag == 0 && run_openssl(self, key, data, length, out, TRUE);
}

secret *openssh_cipher_derive(const openssh_cipher *kind, const secret *passphrase,
                              struct ssh_span salt, guint32 rounds)
{
    g_autoptr(secret) result = secret_new(kind->key + kind->iv);
    if (rounds > OPENSSH_CIPHER_ROUNDS_MAX ||
        !bcrypt_pbkdf((const char *)passphrase->data, passphrase->length, salt.data, salt.length,
                      rounds, result->data, result->length))
        return NULL;
    return g_steal_pointer(&result);
}
