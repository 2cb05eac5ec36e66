/*
 * Classifies the data of a sign request: what the signature would be used for.
 *
 * Data belongs to a class only if all of it parses, to the last byte. Everything else is UNKNOWN:
 * the user is told so, and a grant for it is never remembered. A byte more or less never makes data
 * more trusted. User and namespace are untrusted bytes: compare them as bytes, and escape them
 * before they are shown.
 */
#pragma once

#include "ssh-agent/wire/signature.h"

/* From least to most trusted, so that classes can be compared with "<". */
enum ssh_data_class {
    SSH_CLASS_REFUSED,     /* answered with FAILURE, without asking the user: see ssh_refusal */
    SSH_CLASS_UNKNOWN,     /* does not parse as any class below */
    SSH_CLASS_CERTIFICATE, /* the key would act as a certificate authority */
    SSH_CLASS_SSHSIG,      /* signature of a file, commit or tag, as from `ssh-keygen -Y sign` */
    SSH_CLASS_LOGIN,       /* public key authentication of SSH */
};

enum ssh_refusal {
    SSH_REFUSAL_NONE,
    SSH_REFUSAL_KEY,   /* the key blob does not parse */
    SSH_REFUSAL_SHA1,  /* RSA without a SHA-2 flag */
    SSH_REFUSAL_FLAGS, /* undefined flags */
};

struct ssh_login {
    struct ssh_span session_id;
    struct ssh_span user;
    struct ssh_key key; /* in the data: has the same base key as the signing key */
    bool host_bound;    /* publickey-hostbound-v00@openssh.com */
    struct ssh_span
        host_key; /* if host-bound; the client's claim: see ssh_bindings_check_login() */
};

struct ssh_sshsig {
    struct ssh_span name_space; /* not empty */
    struct ssh_span hash_name;  /* "sha256" or "sha512" */
    struct ssh_span hash;       /* of the message, with the length that the hash has */
};

struct ssh_signed_data {
    enum ssh_data_class class;
    enum ssh_refusal refusal;
    struct ssh_key key; /* the signing key; zeroed with SSH_REFUSAL_KEY */
    enum ssh_algorithm algorithm;
    union {
        struct ssh_login login;
        struct ssh_sshsig sshsig;
        struct ssh_key certificate; /* without a signature; its CA is the signing key */
    };
};

/* Classifies a sign request with these fields. Spans point into KEY and DATA. */
void ssh_signed_data_classify(struct ssh_signed_data *self, struct ssh_span key,
                              struct ssh_span data, uint32_t flags);

/* "login", "sshsig", "certificate", "unknown", "refused": for the log. */
const char *ssh_data_class_name(enum ssh_data_class class);

/* A phrase for the log and for `box consent`: "RSA with SHA-1"; "" for NONE. */
const char *ssh_refusal_text(enum ssh_refusal refusal);
