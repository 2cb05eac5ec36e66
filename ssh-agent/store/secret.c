#include "ssh-agent/store/secret.h"

#include <malloc.h>
#include <openssl/crypto.h>
#include <sodium.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

/* OpenSSL's arena for private numbers: a few keys of 16384 bits at once. */
#define ARENA (256 * 1024)
#define ARENA_SMALLEST 32

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

static void *take(size_t size, const char *file, int line)
{
    return malloc(size);
}

void secret_give_back(void *memory)
{
    if (memory)
        sodium_memzero(memory, malloc_usable_size(memory));
    free(memory);
}

static void give_back(void *memory, const char *file, int line)
{
    secret_give_back(memory);
}

static void *take_again(void *memory, size_t size, const char *file, int line)
{
    size_t had = memory ? malloc_usable_size(memory) : 0;
    void *other = size > 0 ? malloc(size) : NULL;

    if (memory && (other || size == 0)) {
        if (other)
            memcpy(other, memory, MIN(had, size));
        secret_give_back(memory);
    }
    return other;
}

void secret_start(void)
{
    const struct rlimit none = {0, 0};

    if (prctl(PR_SET_DUMPABLE, 0) < 0 || setrlimit(RLIMIT_CORE, &none) < 0)
        g_error("cannot forbid core dumps");
    if (sodium_init() < 0)
        g_error("libsodium does not start");
    if (!CRYPTO_set_mem_functions(take, take_again, give_back) ||
        CRYPTO_secure_malloc_init(ARENA, ARENA_SMALLEST) == 0 ||
        !OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL))
        g_error("OpenSSL does not start");
}
