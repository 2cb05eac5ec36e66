/* Ownership of OpenSSL's objects, and its numbers in its locked arena. */
#pragma once

#include <glib.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include "ssh-agent/wire/buffer.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(BIGNUM, BN_clear_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BN_CTX, BN_CTX_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ECDSA_SIG, ECDSA_SIG_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EVP_MD_CTX, EVP_MD_CTX_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EVP_PKEY, EVP_PKEY_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EVP_PKEY_CTX, EVP_PKEY_CTX_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(OSSL_PARAM_BLD, OSSL_PARAM_BLD_free)
/* OSSL_PARAM is a plain struct, and this one an array of it. */
typedef OSSL_PARAM evp_params;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(evp_params, OSSL_PARAM_free)

/* Big endian bytes as a number in the arena; NULL when that is full. */
static inline BIGNUM *evp_number(struct ssh_span bytes)
{
    BIGNUM *number = BN_secure_new();
    if (number && !BN_bin2bn(bytes.data, (int)bytes.length, number)) {
        BN_clear_free(number);
        return NULL;
    }
    if (number)
        BN_set_flags(number, BN_FLG_CONSTTIME);
    return number;
}
