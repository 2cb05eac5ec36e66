/*
 * Signature algorithms and signature blobs: `string algorithm ‖ string signature`, and for security
 * keys `byte flags ‖ uint32 counter` behind it.
 */
#pragma once

#include "ssh-agent/wire/key.h"

/* Flags of a sign request. */
#define SSH_FLAG_SHA256 2u
#define SSH_FLAG_SHA512 4u

enum ssh_algorithm {
    SSH_ALGORITHM_NONE, /* refused */
    SSH_ALGORITHM_ED25519,
    SSH_ALGORITHM_ECDSA_256,
    SSH_ALGORITHM_ECDSA_384,
    SSH_ALGORITHM_ECDSA_521,
    SSH_ALGORITHM_RSA_SHA256,
    SSH_ALGORITHM_RSA_SHA512,
    SSH_ALGORITHM_SK_ED25519,
    SSH_ALGORITHM_SK_ECDSA,
    SSH_ALGORITHMS,
};

/*
 * The algorithm that a sign request asks for. NONE for RSA without a SHA-2 flag (that is SHA-1) and
 * for flags that nobody defined. With both flags SHA-256 wins, as in OpenSSH. Keys other than RSA
 * have one algorithm and ignore the two flags.
 */
enum ssh_algorithm ssh_algorithm_for(const struct ssh_key *key, uint32_t flags);

/* The name in a signature blob; "" for NONE. */
const char *ssh_algorithm_name(enum ssh_algorithm algorithm);

/* The algorithm of that name; NONE for all others ("ssh-rsa" among them). */
enum ssh_algorithm ssh_algorithm_named(struct ssh_span name);

/* Whether signatures of KEY (or of its base key) can be of this algorithm. */
bool ssh_algorithm_fits(enum ssh_algorithm algorithm, const struct ssh_key *key);

/*
 * Whether NAME is what userauth calls ALGORITHM with KEY: for a certificate the certificate's name
 * ("rsa-sha2-512-cert-v01@openssh.com"), else the algorithm's own.
 */
bool ssh_algorithm_is_userauth_name(enum ssh_algorithm algorithm, const struct ssh_key *key,
                                    struct ssh_span name);

struct ssh_signature {
    enum ssh_algorithm algorithm;
    struct ssh_span raw;  /* ed25519: 64 bytes; RSA: the number; ECDSA: mpint r ‖ mpint s */
    struct ssh_span r, s; /* ECDSA: their magnitudes */
    uint8_t sk_flags;
    uint32_t sk_counter;
};

/* Parses all of BLOB, without verifying. FALSE for unknown algorithms and odd forms. */
bool ssh_signature_parse(struct ssh_signature *self, struct ssh_span blob);

/* Appends a blob of an ed25519 or RSA signature: RAW as libsodium or OpenSSL return it. */
void ssh_signature_write(struct ssh_writer *to, enum ssh_algorithm algorithm, struct ssh_span raw);

/* Appends a blob of an ECDSA signature (R and S big endian, any number of leading zeros). */
void ssh_signature_write_ecdsa(struct ssh_writer *to, enum ssh_algorithm algorithm,
                               struct ssh_span r, struct ssh_span s);
