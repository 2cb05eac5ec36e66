/* The ciphers that OpenSSH encrypts private key files with. */
#pragma once

#include <glib.h>

typedef struct {
    const char *name;
    const char *openssl; /* OpenSSL's name; NULL: ChaCha20-Poly1305 as OpenSSH does it */
    gsize key, iv;       /* bytes */
    gsize block;         /* the data is a multiple of it */
    gsize tag;           /* bytes of authentication behind the data; 0: none */
} cipher;

/* Longest key and iv together. */
#define CIPHER_KEY_MAX 64

/* By name (LENGTH bytes, any); NULL. "none" is not in the list. */
const cipher *cipher_find(const char *name, gsize length);

/*
 * Decrypts LENGTH bytes (a multiple of the block) of DATA, behind which the tag stands, into OUT
 * with KEY, behind which the iv stands. FALSE when the tag is wrong or OpenSSL lacks the cipher;
 * what is in OUT means nothing then.
 */
gboolean cipher_decrypt(const cipher *self, const guint8 *key, const guint8 *data, gsize length,
                        guint8 *out);

/* Encrypts with a cipher that has no tag. */
gboolean cipher_encrypt(const cipher *self, const guint8 *key, const guint8 *data, gsize length,
                        guint8 *out);
