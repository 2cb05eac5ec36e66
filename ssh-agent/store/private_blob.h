/*
 * Private key blobs, as they are in OpenSSH's key files (its PROTOCOL.key) and in our key store:
 *
 *     ed25519  string "ssh-ed25519", string public (32), string seed ‖ public (64)
 *     ECDSA    string type, string curve, string point, mpint d
 *     RSA      string "ssh-rsa", mpint n, e, d, iqmp, p, q
 */
#pragma once

#include <glib.h>

#include "ssh-agent/wire/key.h"

/* Longest blob in bytes. One of RSA with 16384 bits has 9.3 kB. */
#define PRIVATE_BLOB_MAX 16384
/* Smallest RSA key that is accepted. */
#define PRIVATE_BLOB_RSA_BITS_MIN 2048

/* A parsed blob. Spans point into it; those that the type does not have are empty. */
struct private_blob {
    enum ssh_key_type type;
    struct ssh_span all; /* the whole blob */
    struct ssh_span point;
    struct ssh_span scalar; /* ed25519: seed ‖ public; ECDSA: d */
    struct ssh_span n, e, d, iqmp, p, q;
};

/*
 * Reads one blob from FROM; other data may follow it. Checks the sizes, and for ed25519 that the
 * public key belongs to the seed. For the other types private_key_check() does that.
 * KEY_ERROR_FORMAT, or KEY_ERROR_KIND for a type or size that is not supported.
 */
gboolean private_blob_read(struct private_blob *self, struct ssh_reader *from, GError **error);

/* Writes a blob with the fields of SELF; "all" is not used. */
void private_blob_write(const struct private_blob *self, struct ssh_writer *to);

/* Writes the public key blob. */
void private_blob_write_public(const struct private_blob *self, struct ssh_writer *to);

/* For ECDSA types: the size of a field element in bytes, and OpenSSL's name of the curve. */
gsize private_blob_field_size(enum ssh_key_type type);
const char *private_blob_openssl_curve(enum ssh_key_type type);
