/*
 * One connection from inside a box. Hostile: bytes come in any pieces, at any speed, or never.
 * One request is worked on at a time; the next is read when its answer has been taken.
 */
#pragma once

#include "ssh-agent/agent/boxes.h"
#include "ssh-agent/agent/caller.h"
#include "ssh-agent/agent/upstream.h"
#include "ssh-agent/wire/agent.h"
#include "ssh-agent/wire/bind.h"
#include "ssh-agent/wire/frame.h"

typedef struct sign_job sign_job;
typedef struct client client;

struct client {
    agent_box *box;
    int fd;
    guint readable, writable; /* sources */
    struct ssh_framer in;
    GByteArray *out;  /* the answer, as far as it has not been taken */
    gsize sent;       /* of out */
    gboolean busy;    /* a request is being worked on */
    gboolean pumping; /* somewhere up the stack */
    gboolean gone;
    pid_t pid; /* of the peer; 0 when it cannot be told */
    struct ssh_bindings bindings;
    GPtrArray *binds;   /* of GBytes: frames of binds that held, for the real agent */
    upstream *upstream; /* NULL until it is needed */
    void (*on_keys)(client *self, const GPtrArray *keys); /* of keyring.c */
    GPtrArray *keys;                                      /* what keyring.c found last; NULL */
    gint64 keys_at;
    guint keys_changes;
    sign_job *job; /* what is being signed; NULL */
};

/* Takes FD. */
void client_new(agent_box *box, int fd, pid_t pid);
/* Ends it; all that works for it forgets it. Its memory goes a little later. */
void client_close(client *self);

/* The answer to the request that is being worked on. */
void client_answer(client *self, const struct ssh_writer *answer);
/* The same with a plain failure. */
void client_fail(client *self);

/* requests.c: works on MESSAGE, which stays until the answer. */
void request_begin(client *self, struct ssh_span message);
