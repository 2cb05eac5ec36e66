/*
 * The key derivation of OpenSSH's private key files: PBKDF2 with bcrypt as its hash, and with the
 * blocks of output interleaved. Compatible with OpenBSD's bcrypt_pbkdf(3); neither libsodium nor
 * OpenSSL has it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BCRYPT_PBKDF_SALT_MAX 1024
#define BCRYPT_PBKDF_OUT_MAX 1024

/*
 * Fills OUT (1 to BCRYPT_PBKDF_OUT_MAX bytes) from PASSWORD and SALT (neither empty) in ROUNDS (at
 * least 1). If a size is out of range or memory runs out, returns false and leaves OUT unchanged.
 */
bool bcrypt_pbkdf(const char *password, size_t password_length, const uint8_t *salt,
                  size_t salt_length, uint32_t rounds, uint8_t *out, size_t out_length);
