/* Requests to a running SSH agent, and the answers of its user to questions that wait: for
 * `box consent`, and for `box net`, which answers those about the network. */
#pragma once

#include <glib.h>
#include <jansson.h>

/* Sends REQUEST (freed) to the agent, which is started if START is set. Prints nothing on success.
 * 0, or -1 with ERROR. */
int consent_request_send(json_t *request, gboolean start, GError **error);
/* Sends the request OP and prints the part KEY of the answer (NULL: all of it), as JSON or with
 * TEXT. 0, or -1 with ERROR. */
int consent_request_show(const char *op, const char *key, gboolean json,
                         void (*text)(const json_t *what), GError **error);

/* Prints the questions that wait; with KIND (a word of question_traits) only such ones. */
int consent_requests_pending(const char *kind, gboolean json, GError **error);
/* Approves the question ID. CHOICE NULL: once. 0; 1 when the user, asked on a terminal, said no; -1
 * with ERROR. */
int consent_requests_approve(const char *id, const char *choice, GError **error);
/* NEVER: until the user takes it back. */
int consent_requests_deny(const char *id, gboolean never, GError **error);
