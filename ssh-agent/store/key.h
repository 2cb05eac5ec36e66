/* One private key in locked memory: ed25519, ECDSA on a NIST curve, or RSA of 2048 bits and more.
 */
#pragma once

#include <glib.h>

#include "ssh-agent/wire/signature.h"

typedef struct store_key store_key;

/* A new ed25519 key. */
store_key *store_key_generate(void);

/*
 * Copies the private form (private.h) that FORM is, all of it. KEY_ERROR_FORMAT or KEY_ERROR_KIND
 * when it is none. The public part of an ECDSA or RSA key is believed: see store_key_check().
 */
store_key *store_key_from_private(struct ssh_span form, GError **error);

/* Wipes it; NULL is fine. */
void store_key_free(store_key *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(store_key, store_key_free)

/* Its public key, and the blob of that; they live as long as the key. */
const struct ssh_key *store_key_public(const store_key *self);

/* Its private form: locked memory that lives as long as the key. */
struct ssh_span store_key_private(const store_key *self);

/*
 * For keys from elsewhere: signs something and verifies it with the public key; for RSA also n =
 * pq. KEY_ERROR_FORMAT when the parts of the key do not belong together.
 */
gboolean store_key_check(const store_key *self, GError **error);

/*
 * Appends the signature of DATA, a blob for the agent's reply, to SIGNATURE. FLAGS are those of the
 * sign request. KEY_ERROR_KIND for what is not signed (RSA with SHA-1, unknown flags).
 */
gboolean store_key_sign(const store_key *self, struct ssh_span data, guint32 flags,
                        struct ssh_writer *signature, GError **error);
