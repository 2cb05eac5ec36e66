/* The encryption of OpenSSH's private key files: ciphers, and keys from a passphrase. */
#pragma once

#include <glib.h>

#include "ssh-agent/store/secret.h"
#include "ssh-agent/wire/buffer.h"

typedef struct {
    const char *name;
    const char *openssl; /* OpenSSL's name; NULL: OpenSSH's variant of ChaCha20-Poly1305 */
    gsize key, iv;       /* bytes */
    gsize block;         /* bytes; the length of the data is a multiple of it */
    gsize tag;           /* bytes of the authentication tag after the data; 0: none */
} openssh_cipher;

/* Most bytes of key and IV together. */
#define OPENSSH_CIPHER_KEY_MAX 64

/* The cipher with NAME (LENGTH bytes, untrusted) or NULL, also for "none". */
const openssh_cipher *openssh_cipher_find(const char *name, gsize length);

/*
 * Decrypts LENGTH bytes (a multiple of the block) of DATA into OUT. The tag follows the data; KEY
 * is key and IV. If the tag is wrong or OpenSSL lacks the cipher, returns FALSE; OUT must not be
 * used.
 */
gboolean openssh_cipher_decrypt(const openssh_cipher *self, const guint8 *key, const guint8 *data,
                                gsize length, guint8 *out);

/* Encrypts LENGTH bytes of DATA into OUT, which may be the same. Only for ciphers without a tag. */
gboolean openssh_cipher_encrypt(const openssh_cipher *self, const guint8 *key, const guint8 *data,
                                gsize length, guint8 *out);

/* Most rounds of bcrypt. One takes about 7 ms; a file that would take more than half a minute is an
 * attack. */
#define OPENSSH_CIPHER_ROUNDS_MAX 4096

/* Derives key and IV for KIND from PASSPHRASE. NULL if a size is out of range. */
secret *openssh_cipher_derive(const openssh_cipher *kind, const secret *passphrase,
                              struct ssh_span salt, guint32 rounds);
