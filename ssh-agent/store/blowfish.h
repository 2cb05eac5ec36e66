/*
 * Blowfish's expensive key schedule, as bcrypt needs it (Provos and Mazières, "A Future-Adaptable
 * Password Scheme", 1999). No cipher for anything else. libc alone.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t p[18];
    uint32_t s[4][256];
} blowfish;

/* The state that every schedule starts from. */
extern const blowfish blowfish_pi;

/* Encrypts one block, two words, in place. */
void blowfish_encrypt(const blowfish *self, uint32_t block[2]);

/* Mixes KEY (of LENGTH > 0 bytes, repeated as often as needed) in. */
void blowfish_expand(blowfish *self, const uint8_t *key, size_t length);

/* The same with SALT (SALT_LENGTH > 0 bytes) mixed in as well. */
void blowfish_expand_salted(blowfish *self, const uint8_t *salt, size_t salt_length,
                            const uint8_t *key, size_t length);
