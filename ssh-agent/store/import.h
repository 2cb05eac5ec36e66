/*
 * Private keys from files: OpenSSH's own format (openssh.h) and PEM (pem.h). Plain functions over a
 * buffer; the caller keeps that buffer in locked memory.
 */
#pragma once

#include "ssh-agent/store/key.h"
#include "ssh-agent/store/secret.h"

/* Largest key file: RSA of 16384 bits in PEM has 13 kB. */
#define IMPORT_MAX 65536

/*
 * Reads the key of a file's contents and checks it (store_key_check). PASSPHRASE may be NULL: an
 * encrypted file gives KEY_ERROR_PASSPHRASE then, and KEY_ERROR_PASSWORD with a wrong one. *COMMENT
 * (may be NULL) becomes the file's comment, hostile text, or NULL when it has none. Other errors:
 * KEY_ERROR_FORMAT, KEY_ERROR_KIND.
 */
store_key *import_key(const guint8 *data, gsize length, const secret *passphrase, char **comment,
                      GError **error);
