/*
 * Finds the names of a host key in known_hosts files (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT).
 *
 * ssh looks up a name and checks the key; we have the key and look for its names. Of a line with
 * that key, plain names and patterns are reported as they are written. A hashed name can only be
 * compared with names that a client claims. A claim that only a pattern has is no name of the key:
 * who claims it could have chosen any other that fits. Only files on the host may be read, never
 * those of a box.
 *
 * Lines that do not parse are skipped, as ssh does. A @revoked line with the key takes precedence,
 * whatever host it is for: no names are reported then.
 */
#pragma once

#include "ssh-agent/wire/key.h"

/* Limits in bytes: longer lines are skipped, and callers should read only this much of a file. */
#define SSH_KNOWN_HOSTS_LINE_MAX 65536
#define SSH_KNOWN_HOSTS_FILE_MAX (16u << 20)
/* Most names that are reported (then MORE is set), and most claims that are tested. */
#define SSH_KNOWN_NAMES_MAX 32
#define SSH_KNOWN_CLAIMS_MAX 32
/* Longest name of a host: 255 bytes of a DNS name, brackets and a port. */
#define SSH_KNOWN_NAME_MAX 263

enum ssh_known_kind {
    SSH_KNOWN_NAME,      /* a plain name: "github.com", "[git.example.org]:2222" */
    SSH_KNOWN_PATTERN,   /* a pattern: "*.example.org"; also a principal that is one, if a claim
                            fits it */
    SSH_KNOWN_PRINCIPAL, /* a principal of the certificate that matches a @cert-authority line */
    SSH_KNOWN_FORGE,     /* from the built-in list */
};

struct ssh_known_name {
    enum ssh_known_kind kind;
    struct ssh_span text; /* points into the file's text, the key's blob or static memory */
};

struct ssh_known_hosts {
    bool revoked;
    bool more;
    size_t count;
    struct ssh_known_name names[SSH_KNOWN_NAMES_MAX];
    uint32_t confirmed; /* bit I: a line or the built-in list has CLAIMS[I] itself for this key */

    /* Private. */
    const struct ssh_key *key;
    const struct ssh_span *claims;
    size_t claim_count;
    struct ssh_key authority; /* that a certificate names */
    bool certified;           /* the key is a host certificate that is validly signed and in date */
};

/*
 * Prepares to look for KEY, a host key or a host certificate, whose signature and dates are
 * verified at NOW (Unix time). CLAIMS are names to test, in ssh's notation: "host" or
 * "[host]:port", in any case; only the first SSH_KNOWN_CLAIMS_MAX are used. KEY and CLAIMS must
 * stay valid while SELF is used. Searches the built-in list.
 */
void ssh_known_hosts_init(struct ssh_known_hosts *self, const struct ssh_key *key,
                          const struct ssh_span *claims, size_t claim_count, uint64_t now);

/* Searches TEXT, the contents of one file, which must stay valid while SELF is used. Call it for
 * each file. */
void ssh_known_hosts_read(struct ssh_known_hosts *self, struct ssh_span text);

/* The Git hosting service that publishes KEY as its host key ("github.com"), or NULL. */
const char *ssh_forge_name(const struct ssh_key *key);

/* True if HASHED, the field `|1|SALT|HASH` (both base64) of a line, is for NAME (in lower case):
 * the hash is HMAC-SHA1, as `ssh-keygen -H` writes it. */
bool ssh_known_hosts_hash_matches(struct ssh_span hashed, struct ssh_span name);
