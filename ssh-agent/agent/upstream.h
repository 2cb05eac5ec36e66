/*
 * A connection to the real agent, one for each client, so that what the client's session is bound
 * to holds for its keys there. Made when it is first needed, and anew when it broke: real agents
 * come and go. Nothing here blocks; the real agent may be slow, and is taken for hostile.
 */
#pragma once

#include <glib.h>

#include "ssh-agent/wire/agent.h"

typedef struct upstream upstream;

/* OUTCOME is BAD as well when it cannot be reached or took too long; FACTS live during the call. */
typedef void (*upstream_done)(enum ssh_reply outcome, const struct ssh_reply_facts *facts,
                              gpointer data);

/* Connections of one box at a time that are in use; more fail. */
#define UPSTREAMS_MAX 128

/* PATH of its socket; NULL: there is none, and all fails. BINDS (of GBytes, owned by the caller)
 * are the frames to send first on each new connection. OPEN (the caller's, who outlives us) counts
 * the connections of all that share it. */
upstream *upstream_new(const char *path, const GPtrArray *binds, guint *open);
/* The last of BINDS is new: sends it now, when there is a connection. SELF may be NULL. */
void upstream_bound(upstream *self);
/* Nobody hears of anything any more. */
void upstream_free(upstream *self);

/* Sends FRAME, a request of type TYPE; DONE is called once, never from within. */
void upstream_send(upstream *self, enum ssh_agent_type type, const struct ssh_writer *frame,
                   upstream_done done, gpointer data);
