/*
 * Blowfish with the expensive key schedule of bcrypt (Provos and Mazières, "A Future-Adaptable
 * Password Scheme", 1999). Not for encryption. Uses only libc.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t p[18];
    uint32_t s[4][256];
} blowfish;

/* The initial state of every key schedule. */
extern const blowfish blowfish_pi;

/* Encrypts one block of two words in place. */
void blowfish_encrypt(const blowfish *self, uint32_t block[2]);

/* Mixes KEY (LENGTH > 0 bytes, repeated cyclically) into the state. */
void blowfish_expand(blowfish *self, const uint8_t *key, size_t length);

/* Mixes KEY and SALT (SALT_LENGTH > 0 bytes) into the state. */
void blowfish_expand_salted(blowfish *self, const uint8_t *salt, size_t salt_length,
                            const uint8_t *key, size_t length);
