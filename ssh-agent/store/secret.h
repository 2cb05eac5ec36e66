/*
 * Memory for passwords and private keys: sodium_malloc's, which is locked, left out of core dumps,
 * between guard pages, and wiped when it is freed.
 */
#pragma once

#include <glib.h>

/* LENGTH may be made smaller than what was allocated, not larger. */
typedef struct {
    guint8 *data;
    gsize length;
} secret;

/* LENGTH bytes (0 allowed), zeroed. Ends the process when there is no memory, as g_malloc does. */
secret *secret_new(gsize length);
secret *secret_copy(const guint8 *data, gsize length);
/* NULL is fine. */
void secret_free(secret *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(secret, secret_free)

/* The same bytes? In constant time for equal lengths. */
gboolean secret_equal(const secret *a, const secret *b);

/* free() that wipes: for libraries that take their own memory for what may be a secret. */
void secret_give_back(void *memory);

/*
 * To be called from main's first lines: this process makes no core dump, nobody but root can attach
 * to it, and OpenSSL keeps private numbers in locked memory and wipes whatever it frees. Ends the
 * process when any of that cannot be had.
 */
void secret_start(void);
