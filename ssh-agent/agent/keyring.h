/* The keys that a client may see and use: our store's and the real agent's, as far as attached. */
#pragma once

#include "ssh-agent/agent/client.h"

typedef struct {
    GBytes *blob;
    char *fingerprint; /* of the base key */
    char *label;       /* the host's, safe */
    gboolean own;      /* of our store, else of the real agent */
} keyring_key;

/* KEYS of keyring_key, owned by the callee's caller; empty when the real agent is not there. */
typedef void (*keyring_done)(client *of, const GPtrArray *keys);
/* Asks the real agent; DONE is called once unless OF goes away. */
void keyring_fetch(client *of, keyring_done done);

/* What the last fetch of OF found, if that was just now and nothing was attached or detached since;
 * NULL. Owned by OF, until its next fetch. */
const GPtrArray *keyring_recent(const client *of);

/* The key with that very BLOB; NULL. */
const keyring_key *keyring_find(const GPtrArray *keys, struct ssh_span blob);
