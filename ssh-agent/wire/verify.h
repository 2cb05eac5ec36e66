/*
 * Verification of signatures that prove something to us: a host key's over a session, a CA's over
 * a host certificate. libsodium for ed25519, OpenSSL for ECDSA and RSA with SHA-2.
 */
#pragma once

#include "ssh-agent/wire/signature.h"

/*
 * TRUE when SIGNATURE (a blob) is KEY's over DATA; for a certificate, its base key's. Everything
 * else is FALSE: SHA-1, security keys (no host has one), what does not parse, no memory.
 */
bool ssh_verify(const struct ssh_key *key, struct ssh_span signature, struct ssh_span data);

/*
 * TRUE when KEY is a certificate of KIND that its authority signed, valid at NOW (seconds since
 * 1970), without critical options (none is defined for hosts; those of users restrict the holder).
 * Says nothing about who the authority is.
 */
bool ssh_verify_certificate(const struct ssh_key *key, enum ssh_certificate_kind kind,
                            uint64_t now);

/*
 * TRUE when `|1|SALT|HASH` of a known_hosts line (both base64) is of NAME, in small letters:
 * HMAC-SHA1, as ssh hashes names.
 */
bool ssh_verify_hashed_name(struct ssh_span hashed, struct ssh_span name);
