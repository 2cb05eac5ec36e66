/*
 * session-bind@openssh.com: which SSH session a connection to the agent serves, and whose host key
 * that session has. (PROTOCOL.agent of OpenSSH, section 1.)
 *
 * The server signed the session's id with its host key, so a bind that verifies proves the server
 * even when the client is hostile. That a connection serves a forwarding is only claimed.
 */
#pragma once

#include "ssh-agent/wire/key.h"

/* Longest session id, and most binds of a connection (hops of a ProxyJump with -A): OpenSSH's. */
#define SSH_SESSION_ID_MAX 128
#define SSH_BINDINGS_MAX 16

struct ssh_binding {
    struct ssh_span host_key;   /* its blob; may be a certificate, whose CA is not verified here */
    struct ssh_span session_id; /* both spans are memory of the bindings */
    bool forwarding;            /* claimed */
};

/* The binds of one connection. A zeroed struct has none. */
struct ssh_bindings {
    bool attempted; /* set before anything is looked at */
    bool forwarded; /* a bind, refused or not, claimed that another host asks through this one */
    bool lied;      /* a bind was refused: nothing on this connection is shown as verified */
    size_t count;
    struct ssh_binding list[SSH_BINDINGS_MAX];
};

/* OK and AGAIN are answered with 6, all else with 28; only OK is relayed to the real agent. */
enum ssh_bind_result {
    SSH_BIND_OK,        /* recorded */
    SSH_BIND_AGAIN,     /* recorded before, so relayed before, too */
    SSH_BIND_MALFORMED, /* also: a session id that is empty or too long, a key we do not know */
    SSH_BIND_FORGED,    /* the host key's signature does not verify */
    SSH_BIND_LATE,      /* after a bind for authentication */
    SSH_BIND_OTHER_KEY, /* the session is bound to another host key */
    SSH_BIND_TOO_MANY,
    SSH_BIND_NO_MEMORY,
};

/* Takes the contents of a bind request: parse, verify, record. */
enum ssh_bind_result ssh_bindings_add(struct ssh_bindings *self, struct ssh_span contents);

/* A short text for the log: "signature does not verify". */
const char *ssh_bind_result_text(enum ssh_bind_result result);

void ssh_bindings_clear(struct ssh_bindings *self);

enum ssh_host_verdict {
    SSH_HOST_UNBOUND,  /* no bind was tried: old or foreign clients */
    SSH_HOST_MISMATCH, /* a bind was refused, or what was bound last is not this session or host */
    SSH_HOST_VERIFIED,
};

/*
 * Judges a login that names SESSION_ID and, when host-bound, HOST_KEY (else an empty span).
 * VERIFIED only when the last bind is for authentication, has that id and, if named, that very
 * host key, and none lied. *BINDING (may be NULL) is then that bind, else NULL.
 */
enum ssh_host_verdict ssh_bindings_judge(const struct ssh_bindings *self,
                                         struct ssh_span session_id, struct ssh_span host_key,
                                         const struct ssh_binding **binding);
