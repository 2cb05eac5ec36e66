/* OpenSSL: signing with ECDSA and RSA, conversion of its keys, automatic cleanup of its objects. */
#pragma once

#include <glib.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include "ssh-agent/store/private_blob.h"
#include "ssh-agent/store/secret.h"
#include "ssh-agent/wire/buffer.h"
#include "ssh-agent/wire/signature.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(BIGNUM, BN_clear_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BN_CTX, BN_CTX_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ECDSA_SIG, ECDSA_SIG_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EVP_MD_CTX, EVP_MD_CTX_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EVP_PKEY, EVP_PKEY_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EVP_PKEY_CTX, EVP_PKEY_CTX_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(OSSL_PARAM_BLD, OSSL_PARAM_BLD_free)
/* An array of OSSL_PARAM. */
typedef OSSL_PARAM openssl_params;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(openssl_params, OSSL_PARAM_free)

/* Appends a signature blob for DATA. SELF is an ECDSA or RSA key that ALGORITHM fits. */
gboolean openssl_key_sign(const struct private_blob *self, enum ssh_algorithm algorithm,
                          struct ssh_span data, struct ssh_writer *signature, GError **error);

/* TRUE if n = pq in an RSA key. */
gboolean openssl_key_factors_match(const struct private_blob *self);

/* The private key blob of an OpenSSL key. KEY_ERROR_KIND if its type is not supported. */
secret *openssl_key_to_blob(EVP_PKEY *from, GError **error);

/* Returns NULL with KEY_ERROR_KIND for a key of a type that OpenSSL calls KIND. */
gpointer openssl_key_refuse_kind(const char *kind, GError **error);
