/*
 * Memory for passwords and private keys. It comes from sodium_malloc(): locked, excluded from core
 * dumps, between guard pages, and wiped when it is freed.
 */
#pragma once

#include <glib.h>

/* LENGTH may be reduced after the allocation. */
typedef struct {
    guint8 *data;
    gsize length;
} secret;

/* LENGTH zeroed bytes (0 allowed). Aborts if memory runs out, as g_malloc() does. */
secret *secret_new(gsize length);
secret *secret_copy(const guint8 *data, gsize length);
/* What FD has up to its end, or its first MOST bytes. NULL with errno. */
secret *secret_read(int fd, gsize most);
/* SELF may be NULL. */
void secret_free(secret *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(secret, secret_free)

/* Compares in constant time if the lengths are equal. */
gboolean secret_equal(const secret *a, const secret *b);

/* Wipes and frees memory from malloc(), for libraries whose memory may contain secrets. */
void secret_wipe_and_free(void *memory);
/* As realloc(3), and wipes what it frees. */
void *secret_realloc(void *memory, size_t size);

/*
 * Call this first in main(). Disables core dumps and ptrace by other processes of the user, and
 * makes OpenSSL keep private numbers in locked memory and wipe what it frees. Aborts if any of this
 * fails.
 */
void secret_protect_process(void);

/* A key that is derived from a password with Argon2id (RFC 9106), at a cost that suits the machine.
 */

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
