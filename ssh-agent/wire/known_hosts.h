/*
 * Which hosts the user knows under a host key.
 *
 * ssh looks up a name and checks the key; we have the key and want its names. Lines are judged by
 * their key: the names of a plain line are told as they stand, patterns as patterns, and a hashed
 * line tells nothing but whether it is of a name that somebody claims. Only files of the host's
 * side may be read here.
 *
 * Lines that do not parse are passed over, as ssh does. @revoked wins over everything, whatever
 * host it names: of a revoked key nothing is known.
 */
#pragma once

#include "ssh-agent/wire/key.h"

/* Limits: longer lines are passed over; of longer files only the beginning should be read. */
#define SSH_KNOWN_HOSTS_LINE_MAX 65536
#define SSH_KNOWN_HOSTS_FILE_MAX (16u << 20)
/* Most names kept; MORE is set when there were more. */
#define SSH_KNOWN_NAMES_MAX 32
#define SSH_KNOWN_CLAIMS_MAX 32
/* Longest name of a host: 255 of DNS, brackets and a port. */
#define SSH_KNOWN_NAME_MAX 263

enum ssh_known_kind {
    SSH_KNOWN_NAME,      /* a plain name: "github.com", "[git.example.org]:2222" */
    SSH_KNOWN_PATTERN,   /* a pattern of a line that holds the key: "*.example.org" */
    SSH_KNOWN_PRINCIPAL, /* a name in the certificate that its @cert-authority may vouch for */
    SSH_KNOWN_FORGE,     /* built in */
};

struct ssh_known_name {
    enum ssh_known_kind kind;
    struct ssh_span text; /* into the file's text, the key's blob, or static */
};

struct ssh_known_hosts {
    bool revoked;
    bool more;
    size_t count;
    struct ssh_known_name names[SSH_KNOWN_NAMES_MAX];
    /* Bit I: a line (plain, hashed or pattern) or forge holds CLAIMS[I] for this key. */
    uint32_t confirmed;

    /* Private. */
    const struct ssh_key *key;
    const struct ssh_span *claims;
    size_t claim_count;
    struct ssh_key authority; /* of a certificate, whoever signed it */
    bool certified;           /* key is a host certificate, properly signed and valid now */
};

/*
 * Begins: KEY is the host key, a certificate maybe (whose CA's signature and dates are verified
 * here, at NOW). CLAIMS are names to test, at most SSH_KNOWN_CLAIMS_MAX are used: as ssh writes
 * them, "host" or "[host]:port"; capitals do not matter. All is borrowed until the end of use.
 * Built-in forges are looked up here already.
 */
void ssh_known_hosts_init(struct ssh_known_hosts *self, const struct ssh_key *key,
                          const struct ssh_span *claims, size_t claim_count, uint64_t now);

/* Reads the text of one file; call it for each. TEXT must live as long as SELF is used. */
void ssh_known_hosts_read(struct ssh_known_hosts *self, struct ssh_span text);

/* TRUE when the user knows the host by any name, pattern, principal, forge or confirmed claim. */
bool ssh_known_hosts_any(const struct ssh_known_hosts *self);

/* The forge whose published host key this is ("github.com"), or NULL. (forges.c) */
const char *ssh_forge_name(const struct ssh_key *key);
