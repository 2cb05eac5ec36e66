/*
 * Private keys as OpenSSH writes them into its key files, which is also how the store keeps them:
 *
 *     ed25519  string "ssh-ed25519", string public (32), string seed ‖ public (64)
 *     ECDSA    string type, string curve, string point, mpint d
 *     RSA      string "ssh-rsa", mpint n, e, d, iqmp, p, q
 */
#pragma once

#include <glib.h>

#include "ssh-agent/wire/key.h"

/* Longest private form: RSA of 16384 bits is 9.3 kB. */
#define PRIVATE_MAX 16384
/* What an RSA key needs at least. */
#define PRIVATE_RSA_BITS_MIN 2048

/* Spans point into what was read. Those of other types are empty. */
struct private_form {
    enum ssh_key_type type;
    struct ssh_span all; /* the bytes of this form */
    struct ssh_span point;
    struct ssh_span scalar; /* ed25519: seed ‖ public; ECDSA: d */
    struct ssh_span n, e, d, iqmp, p, q;
};

/*
 * Reads one private form from FROM, behind which something else may stand. What is accepted has the
 * right sizes, and of ed25519 the public part that belongs to the seed; that of the others is
 * checked by store_key_check(). KEY_ERROR_FORMAT, or KEY_ERROR_KIND for a key that we do not take.
 */
gboolean private_read(struct private_form *self, struct ssh_reader *from, GError **error);

/* Writes the form that the fields (but ALL) give. */
void private_write(const struct private_form *self, struct ssh_writer *to);

/* Writes the blob of its public key. */
void private_write_public(const struct private_form *self, struct ssh_writer *to);

/* Of an ECDSA type: the bytes of its field, and OpenSSL's name of the curve. */
gsize private_field(enum ssh_key_type type);
const char *private_curve_openssl(enum ssh_key_type type);
