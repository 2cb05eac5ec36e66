/*
 * Public keys as blobs: plain, certificates, and keys of security keys (sk).
 *
 * What is not in the table of key.c (DSA, XMSS, webauthn, whatever comes) does not parse and is
 * never used; its fingerprint can still be shown.
 */
#pragma once

#include "ssh-agent/wire/buffer.h"

/* Longest blob of a key: a certificate with many principals; OpenSSH allows 16384 bits of RSA. */
#define SSH_KEY_BLOB_MAX 65536
#define SSH_RSA_BITS_MIN 1024
#define SSH_RSA_BITS_MAX 16384
/* Most principals of a certificate: OpenSSH's limit. */
#define SSH_PRINCIPALS_MAX 256

enum ssh_key_type {
    SSH_KEY_ED25519,
    SSH_KEY_ECDSA_256,
    SSH_KEY_ECDSA_384,
    SSH_KEY_ECDSA_521,
    SSH_KEY_RSA,
    SSH_KEY_SK_ED25519,
    SSH_KEY_SK_ECDSA,
    SSH_KEY_TYPES,
};

/* Values on the wire. */
enum ssh_certificate_kind { SSH_CERTIFICATE_USER = 1, SSH_CERTIFICATE_HOST = 2 };

struct ssh_certificate {
    uint64_t serial;
    uint32_t kind;
    struct ssh_span id;
    struct ssh_span principals;         /* read with ssh_key_principal_next() */
    size_t principal_count;             /* 0: the certificate names nobody */
    uint64_t valid_after, valid_before; /* seconds since 1970; UINT64_MAX: for ever */
    struct ssh_span critical_options, extensions;
    struct ssh_span authority;   /* blob of the CA's key: parses, and is no certificate */
    struct ssh_span signed_part; /* what the CA signed: the blob up to its signature */
    struct ssh_span signature;   /* not verified by parsing: ssh_verify_certificate() */
};

/* Spans point into the blob that was parsed. */
struct ssh_key {
    enum ssh_key_type type;
    bool is_certificate;
    struct ssh_span blob;
    struct ssh_span fields; /* of the base key, behind its type name: what two equal keys share */
    /* By type, else empty: ed25519 (sk, too): 32 bytes; ECDSA (sk, too): 0x04 ‖ x ‖ y. */
    struct ssh_span point;
    struct ssh_span rsa_e, rsa_n;   /* magnitudes */
    struct ssh_span sk_application; /* "ssh:…" */
    struct ssh_certificate certificate;
};

/* Parses all of BLOB. FALSE: *SELF is zeroed. */
bool ssh_key_parse(struct ssh_key *self, struct ssh_span blob);

/*
 * Parses DATA as what a CA signs for a certificate: a certificate without the signature at its end.
 * The struct is as above with blob and signed_part being DATA and no signature.
 */
bool ssh_key_parse_unsigned(struct ssh_key *self, struct ssh_span data);

/* Whether the base keys are the same: a certificate and the plain key in it are. */
bool ssh_key_same_base(const struct ssh_key *a, const struct ssh_key *b);

/* Appends the blob of the plain key (for a certificate: of its base key). */
void ssh_key_write_base(const struct ssh_key *self, struct ssh_writer *to);

/* Takes the next principal from *LEFT, which begins as certificate.principals. FALSE: no more. */
bool ssh_key_principal_next(struct ssh_span *left, struct ssh_span *principal);

/* The wire name: "ssh-ed25519", or with certificate "ssh-ed25519-cert-v01@openssh.com". */
const char *ssh_key_type_name(enum ssh_key_type type, bool certificate);

/* As ssh-add shows it: "ED25519", "ECDSA", "RSA", "ED25519-SK", "ECDSA-SK". */
const char *ssh_key_type_short(enum ssh_key_type type);

/* TRUE for keys whose signature needs a touch. */
bool ssh_key_is_sk(const struct ssh_key *self);

unsigned ssh_key_bits(const struct ssh_key *self);

/* "SHA256:" and 43 characters of unpadded base64, and a NUL. */
#define SSH_FINGERPRINT_SIZE (7 + 43 + 1)

/* As ssh-keygen -l shows it: of a certificate, the base key's. */
void ssh_key_fingerprint(const struct ssh_key *self, char text[SSH_FINGERPRINT_SIZE]);

/* Of a blob as it is, whether it parses or not. */
void ssh_blob_fingerprint(struct ssh_span blob, char text[SSH_FINGERPRINT_SIZE]);

/*
 * Reads `TYPE BASE64 [COMMENT]`, as a line of a .pub file or the end of a known_hosts line is (no
 * newline in it). The blob is decoded into MEMORY of SIZE bytes; it begins with TYPE's name, but
 * has not been parsed. COMMENT may be NULL; it points into LINE.
 */
bool ssh_key_decode(struct ssh_span line, void *memory, size_t size, struct ssh_span *blob,
                    struct ssh_span *comment);
