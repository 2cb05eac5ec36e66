/*
 * SSH public key blobs (RFC 4253, section 6.6): plain keys, OpenSSH certificates
 * (PROTOCOL.certkeys), and keys of FIDO security keys ("sk", PROTOCOL.u2f).
 *
 * Key types that are not in the table of key.c (DSA, XMSS, webauthn) do not parse and are never
 * used; only their fingerprint can be shown.
 */
#pragma once

#include "ssh-agent/wire/buffer.h"

/* Longest blob in bytes. A certificate with many principals is the longest. */
#define SSH_KEY_BLOB_MAX 65536
#define SSH_RSA_BITS_MIN 1024
#define SSH_RSA_BITS_MAX 16384 /* OpenSSH's limit */
/* Most principals of a certificate: OpenSSH's limit (SSHKEY_CERT_MAX_PRINCIPALS). */
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

/* The values that a certificate contains. */
enum ssh_certificate_kind { SSH_CERTIFICATE_USER = 1, SSH_CERTIFICATE_HOST = 2 };

struct ssh_certificate {
    uint64_t serial;
    uint32_t kind;
    struct ssh_span id;
    struct ssh_span principals;         /* iterate with ssh_key_principal_next() */
    size_t principal_count;             /* 0: valid for no principal */
    uint64_t valid_after, valid_before; /* Unix time; UINT64_MAX: forever */
    struct ssh_span critical_options, extensions;
    struct ssh_span authority;   /* blob of the CA's plain key; it parses */
    struct ssh_span signed_part; /* what the CA signed: the blob up to its signature */
    struct ssh_span signature;   /* parsing does not verify it: ssh_certificate_verify() */
};

/* A parsed blob; all spans point into it. The base key of a certificate is the plain key in it. */
struct ssh_key {
    enum ssh_key_type type; /* of the base key */
    bool is_certificate;
    struct ssh_span blob;
    struct ssh_span fields; /* of the base key, after its type name */
    /* The fields by type; those of other types are empty. */
    struct ssh_span point; /* ed25519 and its sk: 32 bytes; ECDSA and its sk: 0x04 ‖ x ‖ y */
    struct ssh_span rsa_e, rsa_n;   /* magnitudes */
    struct ssh_span sk_application; /* "ssh:…" */
    struct ssh_certificate certificate;
};

/* Parses all of BLOB. If it returns false, *SELF is zeroed. */
bool ssh_key_parse(struct ssh_key *self, struct ssh_span blob);

/*
 * Parses DATA as the data that a CA signs: a certificate without the signature at its end. Blob and
 * signed_part are DATA then, and signature is empty.
 */
bool ssh_key_parse_unsigned(struct ssh_key *self, struct ssh_span data);

/* True if the base keys are equal, as those of a certificate and the plain key in it are. */
bool ssh_key_same_base(const struct ssh_key *a, const struct ssh_key *b);

/* Moves the next principal out of *LEFT, at first a certificate's principals. False if none is
 * left.
 */
bool ssh_key_principal_next(struct ssh_span *left, struct ssh_span *principal);

/* The type's name in a blob: "ssh-ed25519", of a certificate "ssh-ed25519-cert-v01@openssh.com". */
const char *ssh_key_type_name(enum ssh_key_type type, bool certificate);

/* As ssh-add shows it: "ED25519", "ECDSA", "RSA", "ED25519-SK", "ECDSA-SK". */
const char *ssh_key_type_short(enum ssh_key_type type);

/* True for keys of security keys. */
bool ssh_key_is_sk(const struct ssh_key *self);

unsigned ssh_key_bits(const struct ssh_key *self);

/* "SHA256:", 43 characters of unpadded base64, and a NUL. */
#define SSH_FINGERPRINT_SIZE (7 + 43 + 1)

/* The fingerprint that `ssh-keygen -l` shows: that of the base key. */
void ssh_key_fingerprint(const struct ssh_key *self, char text[SSH_FINGERPRINT_SIZE]);

/* The fingerprint of a blob that may not parse. */
void ssh_blob_fingerprint(struct ssh_span blob, char text[SSH_FINGERPRINT_SIZE]);

/*
 * Decodes `TYPE BASE64 [COMMENT]`, the line of a .pub file or the end of a known_hosts line,
 * without a newline. *BLOB is decoded into MEMORY of SIZE bytes. It starts with TYPE, but is not
 * parsed further. *COMMENT (may be NULL) points into LINE.
 */
bool ssh_key_decode(struct ssh_span line, void *memory, size_t size, struct ssh_span *blob,
                    struct ssh_span *comment);
