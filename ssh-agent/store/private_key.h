/* A private key in locked memory: ed25519, ECDSA on a NIST curve, or RSA of at least 2048 bits. */
#pragma once

#include <glib.h>

#include "ssh-agent/wire/signature.h"

typedef struct private_key private_key;

/* A new ed25519 key. */
private_key *private_key_generate(void);

/*
 * Copies BLOB (private_blob.h), in which nothing may follow the key. KEY_ERROR_FORMAT or _KIND.
 * Does not check that the public part of an ECDSA or RSA key matches: see private_key_check().
 */
private_key *private_key_from_blob(struct ssh_span form, GError **error);

/* Wipes and frees the key. SELF may be NULL. */
void private_key_free(private_key *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(private_key, private_key_free)

/* The public key and its blob, valid as long as SELF. */
const struct ssh_key *private_key_public(const private_key *self);

/* The private key blob, in locked memory, valid as long as SELF. */
struct ssh_span private_key_blob(const private_key *self);

/*
 * Checks a key from outside: verifies a signature that it makes, and for RSA that n = pq.
 * KEY_ERROR_FORMAT if the private and public parts do not match.
 */
gboolean private_key_check(const private_key *self, GError **error);

/*
 * Appends a signature blob for DATA to SIGNATURE. FLAGS are those of a sign request; KEY_ERROR_KIND
 * if they are not supported (RSA with SHA-1, undefined flags).
 */
gboolean private_key_sign(const private_key *self, struct ssh_span data, guint32 flags,
                          struct ssh_writer *signature, GError **error);
