/*
 * The control socket: how `box`, its helpers, `box consent` and `box keys` reach the agent.
 * Requests and answers are JSON objects, one a line: {"op": …} is answered by {"ok": true, …} or
 * {"ok": false, "error": SENTENCE}. The socket is never mounted into a box. It is in a folder that
 * only the user may enter, and only processes of the user are answered.
 *
 *   control_socket.c     the connections
 *   control_requests.c   the table of requests
 *   control_keys.c       those about keys
 */
#pragma once

#include "ssh-agent/agent/agent.h"

/* Longest request in bytes. */
#define CONTROL_LINE_MAX (256 * 1024)
/* Connections at a time; further ones are closed at once. */
#define CONTROL_CLIENTS_MAX 64

typedef struct control_client control_client;

/* Serves FD, a listening socket (taken). */
void control_begin(agent *self, int fd);
/* TRUE while a client is connected. */
gboolean control_is_busy(void);

/* Works on a REQUEST. Returns the answer, a new reference; NULL when control_answer() sends it
 * later. */
typedef json_t *control_handler(agent *self, control_client *from, const json_t *request);
control_handler control_do;

/* Sends ANSWER (taken). */
void control_answer(control_client *self, json_t *answer);
/* Calls GONE when the client disconnects before its answer was sent. */
void control_on_gone(control_client *self, void (*gone)(gpointer data), gpointer data);
/* The descriptor that came with the request, which the caller closes; -1: none. */
int control_take_descriptor(control_client *self);

/* The text KEY of OBJECT, borrowed; NULL: none. */
const char *control_text(const json_t *object, const char *key);
json_t *control_ok(void);
json_t *control_error(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* control_keys.c */
control_handler control_attach, control_detach, control_key_changed, control_keys_unlock,
    control_keys_lock, control_list_keys;
