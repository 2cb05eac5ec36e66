/* Private keys in files: OpenSSH's format (PROTOCOL.key) and PEM. */
#pragma once

#include "ssh-agent/store/private_key.h"
#include "ssh-agent/store/secret.h"

/* Largest key file in bytes. An RSA key of 16384 bits in PEM has 13 kB. */
#define KEY_FILE_MAX 65536

/*
 * Reads the key from DATA, the contents of a file, and checks it (private_key_check). The caller
 * keeps DATA in locked memory. PASSPHRASE may be NULL; for an encrypted file the error is
 * KEY_ERROR_PASSPHRASE then, and KEY_ERROR_PASSWORD if it is wrong. *COMMENT (may be NULL) becomes
 * the file's comment, untrusted text, or NULL. Other errors: KEY_ERROR_FORMAT, KEY_ERROR_KIND.
 */
private_key *key_file_import(const guint8 *data, gsize length, const secret *passphrase,
                             char **comment, GError **error);

/*
 * Returns the text of a key file in OpenSSH's format with COMMENT, encrypted with PASSPHRASE
 * (aes256-ctr, bcrypt), or unencrypted if that is NULL. KEY_ERROR_PASSPHRASE if it is empty.
 */
secret *key_file_export(const private_key *self, const char *comment, const secret *passphrase,
                        GError **error);

/* Most rounds of bcrypt. One takes about 7 ms; a file that would take more than half a minute is an
 * attack. */
#define KEY_FILE_OPENSSH_ROUNDS_MAX 4096

/* key_file_openssh.c: reads a key in OpenSSH's format, with the errors of key_file_import().
 * CONTAINER is what the base64 text between BEGIN and END encodes. */
private_key *key_file_read_openssh(struct ssh_span container, const secret *passphrase,
                                   char **comment, GError **error);

/* Limits of the cost that an encrypted PEM file may ask for: a few seconds. OpenSSL limits the
 * memory of scrypt. */
#define KEY_FILE_PEM_ITERATIONS_MAX 5000000
#define KEY_FILE_PEM_SCRYPT_MAX ((guint64)1 << 22) /* N r p */
