#include "ssh-agent/store/secret.h"

#include <malloc.h>
#include <openssl/crypto.h>
#include <sodium.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

/* OpenSSL's secure heap, in bytes: enough for several keys of 16384 bits at once. */
#define SECURE_HEAP (256 * 1024)
#define SECURE_HEAP_BLOCK_MIN 32

secret *secret_new(gsize length)
{
    secret *self = g_new(secret, 1);
    self->length = length;
    self->data = sodium_init() < 0 ? NULL : sodium_malloc(length);
    if (!self->data)
        g_error("no memory for %" G_GSIZE_FORMAT " secret bytes", length);
    memset(self->data, 0, length);
    return self;
}

secret *secret_copy(const guint8 *data, gsize length)
{
    secret *self = secret_new(length);
    memcpy(self->data, data, length);
    return self;
}

void secret_free(secret *self)
{
    if (!self)
        return;
    sodium_free(self->data);
    g_free(self);
}

gboolean secret_equal(const secret *a, const secret *b)
{
    return a->length == b->length && sodium_memcmp(a->data, b->data, a->length) == 0;
}

static void *crypto_malloc(size_t size, const char *file, int line)
{
    return malloc(size);
}

void secret_wipe_and_free(void *memory)
{
    if (memory)
        sodium_memzero(memory, malloc_usable_size(memory));
    free(memory);
}

static void crypto_free(void *memory, const char *file, int line)
{
    secret_wipe_and_free(memory);
}

static void *crypto_realloc(void *memory, size_t size, const char *file, int line)
{
    size_t old_size = memory ? malloc_usable_size(memory) : 0;
    void *copy = size > 0 ? malloc(size) : NULL;

    if (memory && (copy || size == 0)) {
        if (copy)
            memcpy(copy, memory, MIN(old_size, size));
        secret_wipe_and_free(memory);
    }
    return copy;
}

void secret_protect_process(void)
{
    const struct rlimit none = {0, 0};

    if (prctl(PR_SET_DUMPABLE, 0) < 0 || setrlimit(RLIMIT_CORE, &none) < 0)
        g_error("cannot disable core dumps");
    if (sodium_init() < 0)
        g_error("cannot initialise libsodium");
    if (!CRYPTO_set_mem_functions(crypto_malloc, crypto_realloc, crypto_free) ||
        CRYPTO_secure_malloc_init(SECURE_HEAP, SECURE_HEAP_BLOCK_MIN) == 0 ||
        !OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL))
        g_error("cannot initialise OpenSSL");
}
