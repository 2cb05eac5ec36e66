#include "ssh-agent/store/secret.h"

#include <errno.h>
#include <malloc.h>
#include <openssl/crypto.h>
#include <sodium.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "ssh-agent/store/key_error.h"

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

secret *secret_read(int fd, gsize most)
{
    g_autoptr(secret) text = secret_new(most);
    gsize used = 0;
    ssize_t got = 1;
    while (got > 0 && used < most) {
        got = read(fd, text->data + used, most - used);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            used += (gsize)got;
    }
    text->length = used;
    return got < 0 ? NULL : g_steal_pointer(&text);
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

void *secret_realloc(void *memory, size_t size)
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

static void *crypto_realloc(void *memory, size_t size, const char *file, int line)
{
    return secret_realloc(memory, size);
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

#define TARGET_US 300000
#define MEMORY_LEAST crypto_pwhash_MEMLIMIT_INTERACTIVE
#define MEMORY_MOST ((guint64)256 << 20)
#define PASSES_LEAST crypto_pwhash_OPSLIMIT_INTERACTIVE
#define PASSES_MOST 16

G_STATIC_ASSERT(KDF_SALT == crypto_pwhash_SALTBYTES);
G_STATIC_ASSERT(MEMORY_LEAST >= KDF_MEMORY_MIN && MEMORY_MOST <= KDF_MEMORY_MAX);
G_STATIC_ASSERT(PASSES_MOST <= KDF_PASSES_MAX);

gboolean kdf_cost_valid(const kdf_cost *cost)
{
    return cost->passes >= KDF_PASSES_MIN && cost->passes <= KDF_PASSES_MAX &&
           cost->memory >= KDF_MEMORY_MIN && cost->memory <= KDF_MEMORY_MAX &&
           cost->memory % 1024 == 0;
}

/* CPU time: other programs affect it less than wall-clock time. */
static gint64 cpu_time_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (gint64)now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

/* The time of one pass over MEMORY bytes, in microseconds; TARGET_US if there is not enough memory.
 */
static gint64 measure_pass(guint64 memory)
{
    static const guint8 salt[KDF_SALT];
    guint8 out[KDF_KEY];
    gint64 start = cpu_time_us();

    if (crypto_pwhash(out, sizeof out, "", 0, salt, 1, memory, crypto_pwhash_ALG_ARGON2ID13) != 0)
        return TARGET_US;
    return MAX(cpu_time_us() - start, 1);
}

static guint64 memory_limit(void)
{
    guint64 all = (guint64)sysconf(_SC_PHYS_PAGES) * (guint64)sysconf(_SC_PAGESIZE);
    return MIN(MEMORY_MOST, all / 16);
}

kdf_cost kdf_measure(void)
{
    kdf_cost cost = {PASSES_LEAST, MEMORY_LEAST};
    if (sodium_init() < 0)
        return cost;
    gint64 pass = measure_pass(cost.memory);

    /* More memory rather than more passes: it makes parallel attacks more expensive. */
    while (2 * cost.memory <= memory_limit() && 2 * pass * (gint64)PASSES_LEAST <= TARGET_US) {
        cost.memory *= 2;
        pass *= 2;
    }
    cost.passes = CLAMP((guint64)(TARGET_US / pass), PASSES_LEAST, PASSES_MOST);
    return cost;
}

secret *kdf_derive(const secret *password, const guint8 salt[KDF_SALT], const kdf_cost *cost,
                   GError **error)
{
    g_autoptr(secret) key = secret_new(KDF_KEY);
    if (crypto_pwhash(key->data, key->length, (const char *)password->data, password->length, salt,
                      cost->passes, cost->memory, crypto_pwhash_ALG_ARGON2ID13) != 0) {
        g_set_error(error, KEY_ERROR, KEY_ERROR_FAILED,
                    "deriving the key takes %" G_GUINT64_FORMAT " MiB of memory, which is not "
                    "available",
                    cost->memory >> 20);
        return NULL;
    }
    return g_steal_pointer(&key);
}
