/*
 * Signature algorithms, signature blobs, and their verification.
 *
 * A signature blob is `string algorithm ‖ string signature`, and for security keys (sk)
 * additionally `byte flags ‖ uint32 counter`.
 */
#pragma once

#include "ssh-agent/wire/key.h"

/* Flags of a sign request: SSH_AGENT_RSA_SHA2_256 and _512 in RFC 9987. */
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
 * The algorithm for a sign request with KEY and FLAGS. NONE for RSA without a SHA-2 flag (that
 * means SHA-1) and for undefined flags. If both flags are set SHA-256 is used, as in OpenSSH. Keys
 * other than RSA have one algorithm, whatever the two flags are.
 */
enum ssh_algorithm ssh_algorithm_for(const struct ssh_key *key, uint32_t flags);

/* The name in a signature blob; "" for NONE. */
const char *ssh_algorithm_name(enum ssh_algorithm algorithm);

/* NONE for an unknown NAME, and for "ssh-rsa" (SHA-1). */
enum ssh_algorithm ssh_algorithm_by_name(struct ssh_span name);

/* True if KEY, or the base key of a certificate, signs with ALGORITHM. */
bool ssh_algorithm_fits(enum ssh_algorithm algorithm, const struct ssh_key *key);

/*
 * True if NAME is the public key algorithm name in a userauth request (RFC 4252, section 7) for
 * ALGORITHM and KEY. For a certificate that is a name such as "rsa-sha2-512-cert-v01@openssh.com".
 */
bool ssh_algorithm_is_userauth_name(enum ssh_algorithm algorithm, const struct ssh_key *key,
                                    struct ssh_span name);

struct ssh_signature {
    enum ssh_algorithm algorithm;
    struct ssh_span raw; /* ed25519: 64 bytes; RSA: a big-endian number; ECDSA: mpint r ‖ mpint s */
    struct ssh_span r, s; /* ECDSA: their magnitudes */
    uint8_t sk_flags;
    uint32_t sk_counter;
};

/* Parses all of BLOB, without verifying it. False if it is malformed or of an unknown algorithm. */
bool ssh_signature_parse(struct ssh_signature *self, struct ssh_span blob);

/* Appends the blob of an ed25519 or RSA signature. RAW: as libsodium or OpenSSL returned it. */
void ssh_signature_write(struct ssh_writer *to, enum ssh_algorithm algorithm, struct ssh_span raw);

/* Appends the blob of an ECDSA signature. R and S are big endian; leading zeros are dropped. */
void ssh_signature_write_ecdsa(struct ssh_writer *to, enum ssh_algorithm algorithm,
                               struct ssh_span r, struct ssh_span s);

/*
 * True if SIGNATURE (a blob) is a valid signature of DATA by KEY (of a certificate: by its base
 * key). False for everything else: SHA-1, security keys (no server has one as host key), malformed
 * blobs, out of memory. Uses libsodium for ed25519, OpenSSL for ECDSA and RSA.
 */
bool ssh_signature_verify(const struct ssh_key *key, struct ssh_span signature,
                          struct ssh_span data);

/*
 * True if KEY is a certificate of KIND with a valid signature of its authority, valid at NOW (Unix
 * time), and without critical options (none is defined for hosts; those for users restrict the
 * holder). Whether to trust the authority is up to the caller.
 */
bool ssh_certificate_verify(const struct ssh_key *key, enum ssh_certificate_kind kind,
                            uint64_t now);
