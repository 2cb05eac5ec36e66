#include "ssh-agent/store/bcrypt_pbkdf.h"

#include <sodium.h>
#include <string.h>

#include "ssh-agent/store/blowfish.h"

#define HASH_WORDS 8
#define HASH_BYTES (4 * HASH_WORDS)
#define SCHEDULE_ROUNDS 64
#define SHA512 crypto_hash_sha512_BYTES

/* All intermediate values, in locked memory that is wiped when it is freed. */
typedef struct {
    blowfish state;
    uint8_t password[SHA512], salt[SHA512];
    uint8_t block[HASH_BYTES], sum[HASH_BYTES];
    uint32_t words[HASH_WORDS];
} scratch;

/* Stores the bcrypt hash of password and salt in BLOCK. */
static void bcrypt_hash(scratch *self)
{
    static const char text[HASH_BYTES + 1] = "OxychromaticBlowfishSwatDynamite";

    self->state = blowfish_pi;
    blowfish_expand_salted(&self->state, self->salt, SHA512, self->password, SHA512);
    for (int i = 0; i < SCHEDULE_ROUNDS; i++) {
        blowfish_expand(&self->state, self->salt, SHA512);
        blowfish_expand(&self->state, self->password, SHA512);
    }
    for (int i = 0; i < HASH_WORDS; i++) {
        const uint8_t *t = (const uint8_t *)text + 4 * i;
        self->words[i] = (uint32_t)t[0] << 24 | t[1] << 16 | t[2] << 8 | t[3];
    }
    for (int i = 0; i < SCHEDULE_ROUNDS; i++) {
        for (int j = 0; j < HASH_WORDS; j += 2)
            blowfish_encrypt(&self->state, self->words + j);
    }
    /* bcrypt_pbkdf() stores the words in little endian, unlike bcrypt itself. */
    for (int i = 0; i < HASH_BYTES; i++)
        self->block[i] = self->words[i / 4] >> (8 * (i % 4)) & 0xff;
}

/* Sets the salt for the first round of block NUMBER: the hash of SALT and the number. */
static void set_first_salt(scratch *self, const uint8_t *salt, size_t length, uint32_t number)
{
    const uint8_t count[4] = {number >> 24, number >> 16 & 0xff, number >> 8 & 0xff, number & 0xff};
    crypto_hash_sha512_state state;

    crypto_hash_sha512_init(&state);
    crypto_hash_sha512_update(&state, salt, length);
    crypto_hash_sha512_update(&state, count, sizeof count);
    crypto_hash_sha512_final(&state, self->salt);
}

static void fill_sum(scratch *self, uint32_t rounds)
{
    bcrypt_hash(self);
    memcpy(self->sum, self->block, HASH_BYTES);
    for (uint32_t i = 1; i < rounds; i++) {
        crypto_hash_sha512(self->salt, self->block, HASH_BYTES);
        bcrypt_hash(self);
        for (int j = 0; j < HASH_BYTES; j++)
            self->sum[j] ^= self->block[j];
    }
}

bool bcrypt_pbkdf(const char *password, size_t password_length, const uint8_t *salt,
                  size_t salt_length, uint32_t rounds, uint8_t *out, size_t out_length)
{
    if (password_length == 0 || salt_length == 0 || salt_length > BCRYPT_PBKDF_SALT_MAX ||
        rounds == 0 || out_length == 0 || out_length > BCRYPT_PBKDF_OUT_MAX)
        return false;
    scratch *self = sodium_init() < 0 ? NULL : sodium_malloc(sizeof *self);
    if (!self)
        return false;
    /* Block k provides the bytes k, k + stride, k + 2 stride … of the output. */
    size_t stride = (out_length + HASH_BYTES - 1) / HASH_BYTES;
    size_t each = (out_length + stride - 1) / stride;

    crypto_hash_sha512(self->password, (const uint8_t *)password, password_length);
    for (size_t k = 0; k < stride; k++) {
        set_first_salt(self, salt, salt_length, k + 1);
        fill_sum(self, rounds);
        for (size_t i = 0; i < each && i * stride + k < out_length; i++)
            out[i * stride + k] = self->sum[i];
    }
    sodium_free(self);
    return true;
}
