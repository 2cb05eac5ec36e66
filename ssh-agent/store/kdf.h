/* Derives a key from a password with Argon2id (RFC 9106), at a cost that suits the machine. */
#pragma once

#include "ssh-agent/store/secret.h"

#define KDF_SALT 16
#define KDF_KEY 32

/* Limits of the cost that a file may ask for: a hostile file must not exhaust memory or time. */
#define KDF_MEMORY_MIN ((guint64)8 << 20)
#define KDF_MEMORY_MAX ((guint64)1 << 30)
#define KDF_PASSES_MIN 1
#define KDF_PASSES_MAX 32

typedef struct {
    guint64 passes;
    guint64 memory; /* bytes */
} kdf_cost;

gboolean kdf_cost_valid(const kdf_cost *cost);

/*
 * Measures the cost that takes this machine about 0.3 seconds. At least the passes and memory that
 * libsodium calls interactive, at most 256 MiB and a sixteenth of the machine's memory.
 */
kdf_cost kdf_measure(void);

/* Returns KDF_KEY bytes. Fails with KEY_ERROR_FAILED if memory runs out. */
secret *kdf_derive(const secret *password, const guint8 salt[KDF_SALT], const kdf_cost *cost,
                   GError **error);
