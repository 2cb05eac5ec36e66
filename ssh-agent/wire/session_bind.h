/*
 * The extension session-bind@openssh.com (OpenSSH's PROTOCOL.agent, section 1): a client says which
 * SSH session it uses its connection to the agent for, and the host key of that session's server.
 *
 * The server signed the session's identifier with its host key, so a verified bind proves which
 * server it is even if the client is hostile. The forwarding flag is only a claim of the client.
 */
#pragma once

#include "ssh-agent/wire/key.h"

/* Longest session identifier in bytes, and most binds of one connection (hops of agent forwarding):
 * OpenSSH's limits (AGENT_MAX_SID_LEN and AGENT_MAX_SESSION_IDS in ssh-agent.c). */
#define SSH_SESSION_ID_MAX 128
#define SSH_BINDINGS_MAX 16

struct ssh_binding {
    struct ssh_span host_key; /* a key blob; may be a certificate, whose CA is not verified here */
    struct ssh_span session_id; /* both spans point to memory that the bindings own */
    bool forwarding;            /* the client's claim */
};

/* The binds of one connection. A zeroed struct has none. */
struct ssh_bindings {
    bool attempted; /* a bind was received, valid or not */
    bool forwarded; /* a bind, valid or not, claimed forwarding: another host makes the requests */
    bool bind_refused; /* so no login on this connection counts as verified */
    size_t count;
    struct ssh_binding list[SSH_BINDINGS_MAX];
};

/* OK and DUPLICATE are answered with SUCCESS, the others with EXTENSION_FAILURE. Only OK is relayed
 * to the real agent. */
enum ssh_bind_result {
    SSH_BIND_OK,        /* recorded */
    SSH_BIND_DUPLICATE, /* recorded, and relayed, before */
    SSH_BIND_MALFORMED, /* or an unsupported type of host key, or an invalid session identifier */
    SSH_BIND_FORGED,    /* the host key's signature does not verify */
    SSH_BIND_AFTER_AUTHENTICATION, /* only forwarding may be followed by another bind */
    SSH_BIND_OTHER_KEY,            /* the session is bound to another host key */
    SSH_BIND_TOO_MANY,
    SSH_BIND_NO_MEMORY,
};

/* Parses, verifies and records CONTENTS, those of a bind request. */
enum ssh_bind_result ssh_bindings_add(struct ssh_bindings *self, struct ssh_span contents);

/* A phrase for the log: "the host key's signature does not verify". */
const char *ssh_bind_result_text(enum ssh_bind_result result);

void ssh_bindings_clear(struct ssh_bindings *self);

enum ssh_host_verdict {
    SSH_HOST_UNBOUND,  /* no bind was attempted: a client other than OpenSSH, or before 8.9 */
    SSH_HOST_MISMATCH, /* a bind was refused, or the last one has another session or host key */
    SSH_HOST_VERIFIED,
};

/*
 * Checks whether the server of a login is known: the data to sign names SESSION_ID and, if it is
 * host-bound, HOST_KEY (else an empty span). VERIFIED if no bind was refused and the last one is
 * for authentication and has the same session and, if given, host key. *BINDING (may be NULL)
 * becomes that bind, else NULL.
 */
enum ssh_host_verdict ssh_bindings_check_login(const struct ssh_bindings *self,
                                               struct ssh_span session_id, struct ssh_span host_key,
                                               const struct ssh_binding **binding);
