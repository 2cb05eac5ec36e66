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
/* SELF may be NULL. */
void secret_free(secret *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(secret, secret_free)

/* Compares in constant time if the lengths are equal. */
gboolean secret_equal(const secret *a, const secret *b);

/* Wipes and frees memory from malloc(), for libraries whose memory may contain secrets. */
void secret_wipe_and_free(void *memory);

/*
 * Call this first in main(). Disables core dumps and ptrace by other processes of the user, and
 * makes OpenSSL keep private numbers in locked memory and wipe what it frees. Aborts if any of this
 * fails.
 */
void secret_protect_process(void);
