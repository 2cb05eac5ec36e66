/*
 * What one is asked to sign.
 *
 * Data is of a class only when every byte of it is accounted for; whatever does not parse to its
 * end is UNKNOWN, which is asked about as such and never granted for longer. A byte more or less
 * never makes data more trusted. User and namespace are hostile bytes: show them escaped, compare
 * them as bytes.
 */
#pragma once

#include "ssh-agent/wire/signature.h"

/* From least to most trusted, so that classes can be compared. */
enum ssh_class {
    SSH_CLASS_REFUSED,     /* the answer is 5, without asking: see ssh_refusal */
    SSH_CLASS_UNKNOWN,     /* unrecognised data */
    SSH_CLASS_CERTIFICATE, /* the key would act as a certificate authority */
    SSH_CLASS_SSHSIG,      /* a signature of a file, commit, tag: `ssh-keygen -Y sign` */
    SSH_CLASS_LOGIN,       /* SSH public key authentication */
};

enum ssh_refusal {
    SSH_REFUSAL_NONE,
    SSH_REFUSAL_KEY,   /* the key's blob does not parse */
    SSH_REFUSAL_SHA1,  /* RSA without a SHA-2 flag */
    SSH_REFUSAL_FLAGS, /* flags that nobody defined */
};

struct ssh_login {
    struct ssh_span session_id;
    struct ssh_span user;
    struct ssh_key key;       /* embedded: the signing key, or a certificate of it, or reverse */
    bool host_bound;          /* publickey-hostbound-v00@openssh.com */
    struct ssh_span host_key; /* then: a blob that parses. Claimed: see ssh_bindings_judge() */
};

struct ssh_sshsig {
    struct ssh_span name_space; /* not empty */
    struct ssh_span hash_name;  /* "sha256" or "sha512" */
    struct ssh_span hash;       /* of the message: of the fitting length */
};

struct ssh_facts {
    enum ssh_class class;
    enum ssh_refusal refusal;
    struct ssh_key key; /* that signs; zeroed with SSH_REFUSAL_KEY */
    enum ssh_algorithm algorithm;
    union {
        struct ssh_login login;
        struct ssh_sshsig sshsig;
        struct ssh_key certificate; /* to be signed; its authority is the signing key */
    };
};

/* Classifies a sign request. Spans point into KEY and DATA. */
void ssh_classify(struct ssh_facts *facts, struct ssh_span key, struct ssh_span data,
                  uint32_t flags);

/* "login", "sshsig", "certificate", "unknown", "refused": for the log. */
const char *ssh_class_name(enum ssh_class class);

/* A sentence's end for the log and for `box agent`: "RSA with SHA-1"; "" for NONE. */
const char *ssh_refusal_text(enum ssh_refusal refusal);
