#include "ssh-agent/store/blowfish.h"

#define ROUNDS 16

static uint32_t mix(const blowfish *self, uint32_t x)
{
    uint32_t sum = self->s[0][x >> 24] + self->s[1][x >> 16 & 0xff];
    return (sum ^ self->s[2][x >> 8 & 0xff]) + self->s[3][x & 0xff];
}

void blowfish_encrypt(const blowfish *self, uint32_t block[2])
{
    uint32_t left = block[0] ^ self->p[0], right = block[1];

    for (int i = 1; i <= ROUNDS; i += 2) {
        right ^= mix(self, left) ^ self->p[i];
        left ^= mix(self, right) ^ self->p[i + 1];
    }
    block[0] = right ^ self->p[ROUNDS + 1];
    block[1] = left;
}

/* The next word of an endless repetition of BYTES. */
static uint32_t next_word(const uint8_t *bytes, size_t length, size_t *at)
{
    uint32_t word = 0;

    for (int i = 0; i < 4; i++) {
        word = word << 8 | bytes[*at];
        *at = (*at + 1) % length;
    }
    return word;
}

static void mix_key(blowfish *self, const uint8_t *key, size_t length)
{
    size_t at = 0;

    for (int i = 0; i < ROUNDS + 2; i++)
        self->p[i] ^= next_word(key, length, &at);
}

/* Replaces COUNT words of TABLE by what BLOCK becomes, again and again; SALT may be NULL. */
static void refill(blowfish *self, uint32_t *table, int count, uint32_t block[2],
                   const uint8_t *salt, size_t salt_length, size_t *at)
{
    for (int i = 0; i < count; i += 2) {
        if (salt) {
            block[0] ^= next_word(salt, salt_length, at);
            block[1] ^= next_word(salt, salt_length, at);
        }
        blowfish_encrypt(self, block);
        table[i] = block[0];
        table[i + 1] = block[1];
    }
}

static void refill_all(blowfish *self, const uint8_t *salt, size_t salt_length)
{
    uint32_t block[2] = {0, 0};
    size_t at = 0;

    refill(self, self->p, ROUNDS + 2, block, salt, salt_length, &at);
    for (int i = 0; i < 4; i++)
        refill(self, self->s[i], 256, block, salt, salt_length, &at);
}

void blowfish_expand(blowfish *self, const uint8_t *key, size_t length)
{
    mix_key(self, key, length);
    refill_all(self, NULL, 0);
}

void blowfish_expand_salted(blowfish *self, const uint8_t *salt, size_t salt_length,
                            const uint8_t *key, size_t length)
{
    mix_key(self, key, length);
    refill_all(self, salt, salt_length);
}
