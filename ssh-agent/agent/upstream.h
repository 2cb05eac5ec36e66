/*
 * A connection to the real agent, one for each client, so that the client's session binds hold for
 * its keys there. It is made when it is first used, and again after it broke, as real agents come
 * and go. Nothing here blocks. The real agent may be slow, and what it sends is not trusted.
 */
#pragma once

#include <glib.h>

#include "ssh-agent/wire/agent_protocol.h"

typedef struct upstream upstream;

/* Why the real agent's keys cannot be used, as in the log. */
#define UPSTREAM_NONE "there is no SSH agent of yours"
#define UPSTREAM_SILENT "your own SSH agent does not answer"
#define UPSTREAM_REFUSED "your own SSH agent refused"
#define UPSTREAM_LACKS "your own SSH agent has none of its keys"

/* STATUS is SSH_REPLY_INVALID as well when the real agent cannot be reached, or took too long.
 * REPLY is valid during the call. */
typedef void (*upstream_done)(enum ssh_reply_status status, const struct ssh_reply *reply,
                              gpointer data);

/* Connections of one box at a time; requests on further ones fail. */
#define UPSTREAMS_MAX 128

/* PATH of its socket; NULL: none, and all requests fail. BINDS (of GBytes, owned by the caller) are
 * sent first on each new connection. COUNT, which must outlive SELF, counts the connections of all
 * that share it. */
upstream *upstream_new(const char *path, const GPtrArray *binds, guint *count);
/* TRUE when it was made for PATH. */
gboolean upstream_is_at(const upstream *self, const char *path);
/* The last of BINDS is new: sends it if there is a connection. SELF may be NULL. */
void upstream_bound(upstream *self);
/* No callback is called any more. */
void upstream_free(upstream *self);

/* Sends MESSAGE, a request of that TYPE. DONE is called once, from the main loop. */
void upstream_send(upstream *self, enum ssh_agent_message_type type,
                   const struct ssh_writer *message, upstream_done done, gpointer data);
