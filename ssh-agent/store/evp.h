/* ECDSA and RSA by OpenSSL: between private forms and its keys. */
#pragma once

#include <glib.h>
#include <openssl/evp.h>

#include "ssh-agent/store/private.h"
#include "ssh-agent/store/secret.h"
#include "ssh-agent/wire/signature.h"

/* Appends the blob of a signature; SELF is ECDSA or RSA, and ALGORITHM fits it. */
gboolean evp_sign(const struct private_form *self, enum ssh_algorithm algorithm,
                  struct ssh_span data, struct ssh_writer *signature, GError **error);

/* n = pq, of an RSA key. */
gboolean evp_factors_fit(const struct private_form *self);

/* The private form of a key that OpenSSL has read. KEY_ERROR_KIND for what we do not take. */
secret *evp_to_private(EVP_PKEY *from, GError **error);

/* NULL, with KEY_ERROR_KIND: what OpenSSL calls KIND is not taken. */
gpointer evp_refuse_kind(const char *kind, GError **error);
