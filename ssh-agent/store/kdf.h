/* From a password to a key: Argon2id, at a cost that suits the machine that made the store. */
#pragma once

#include "ssh-agent/store/secret.h"

#define KDF_SALT 16
#define KDF_KEY 32

/* What a store may ask for. A file that asks for more is refused before it can exhaust us. */
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
 * Measures this machine: about a third of a second of its time, with at least the passes and memory
 * that libsodium calls interactive, and at most 256 MiB or a sixteenth of the memory.
 */
kdf_cost kdf_measure(void);

/* KDF_KEY bytes. Fails when there is no memory for it. */
secret *kdf_derive(const secret *password, const guint8 salt[KDF_SALT], const kdf_cost *cost,
                   GError **error);
