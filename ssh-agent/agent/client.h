/*
 * One connection from inside a box. It is hostile: bytes come in any pieces, at any speed, or
 * never. The agent works on one request at a time; it reads the next one when the answer has been
 * sent.
 *
 *   client.c    the connection, and a handler for each kind of request
 *   keyring.c   the keys that the client may see and use
 *   sign.c      sign requests
 */
#pragma once

#include "ssh-agent/agent/agent.h"
#include "ssh-agent/agent/upstream.h"
#include "ssh-agent/wire/agent_protocol.h"
#include "ssh-agent/wire/session_bind.h"

typedef struct client client;

/* A key that a client may see and use: of our key store or the real agent, and attached. */
typedef struct keyring_key {
    GBytes *blob;
    char *fingerprint; /* of the key itself where the blob is a certificate */
    char *label;       /* as the user calls it on the host, harmless */
    gboolean in_store; /* of our key store; else of the real agent */
} keyring_key;

/* KEYS: of keyring_key. Empty when the user's own agent does not answer and our store has none. */
typedef void (*keyring_done)(client *self, const GPtrArray *keys);

struct client {
    agent_box *box;
    int fd;
    guint readable, writable; /* sources */
    guint more;               /* the same: works on requests that were read */
    struct ssh_message_stream in;
    gsize counted;    /* of its memory, in the box's sum */
    gsize bound;      /* bytes of the binds and bindings */
    GByteArray *out;  /* the answer, as far as it has not been sent */
    gsize sent;       /* bytes of out */
    gboolean busy;    /* a request is being worked on */
    gboolean pumping; /* pump() is on the stack */
    gboolean gone;
    pid_t pid; /* of the peer; 0: unknown */
    struct ssh_bindings bindings;
    GPtrArray *binds;       /* of GBytes: accepted session-bind messages, for the real agent */
    upstream *upstream;     /* NULL until it is needed */
    keyring_done keys_done; /* of the fetch that is under way */
    GPtrArray *keys;        /* result of the last fetch; NULL: none, or not remembered */
    gsize keys_size;        /* bytes of it */
    const char *keys_lack;  /* why the real agent's are not among them (UPSTREAM_…); NULL */
    gint64 keys_time;       /* when that came */
    guint keys_version;     /* of the box, then */
    struct sign_job *job;   /* what is being signed (sign.h); NULL */
};

/* Takes FD. */
void client_new(agent_box *box, int fd, pid_t pid);
/* Closes the connection and cancels its request. Its memory is freed from the main loop. */
void client_close(client *self);

/* Sends the answer to the request that is being worked on. */
void client_answer(client *self, const struct ssh_writer *answer);
/* The same with SSH_AGENT_FAILURE. */
void client_fail(client *self);

/* keyring.c: asks the real agent for its keys. DONE is called once, unless SELF is closed before.
 */
void keyring_fetch(client *self, keyring_done done);
/* The keys of the last fetch, if that was just now and nothing was attached or detached since; else
 * NULL. Valid until the next fetch of the box. */
const GPtrArray *keyring_recent(const client *self);
void keyring_forget(client *self);
/* The key with exactly that BLOB; NULL: none. */
const keyring_key *keyring_find(const GPtrArray *keys, struct ssh_span blob);

/* sign.c: works on a sign REQUEST, parsed from MESSAGE, which stays valid until the answer. */
void sign_begin(client *self, const struct ssh_request *request, struct ssh_span message);
/* Drops the sign request of SELF, if there is one, and withdraws its question. */
void sign_cancel(client *self);
/* Logs that WHAT was refused without asking, for the reason WHY. */
void sign_log_refusal(client *self, const char *what, const char *why);
