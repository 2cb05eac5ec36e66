/*
 * Private keys in PEM: PKCS#8, encrypted or not, and the older "RSA PRIVATE KEY" and "EC PRIVATE
 * KEY". OpenSSL decodes what a block holds once its kind and the cost of its encryption have been
 * looked at: the reader that finds everything by itself would also derive a key for hours, or
 * exponentiate with DSA numbers of any size, because a file says so.
 */
#pragma once

#include <openssl/evp.h>

#include "ssh-agent/store/secret.h"

/* What an encrypted file may ask for: some seconds of work. OpenSSL bounds scrypt's memory. */
#define PEM_ITERATIONS_MAX 5000000
#define PEM_SCRYPT_MAX ((guint64)1 << 22) /* N r p */

/*
 * The first private key in DATA. PASSPHRASE may be NULL. NULL with KEY_ERROR_PASSPHRASE, _PASSWORD,
 * _FORMAT or _KIND.
 */
EVP_PKEY *pem_read(const guint8 *data, gsize length, const secret *passphrase, GError **error);
