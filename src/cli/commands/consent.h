/* The parts of `box consent`. */
#pragma once

#include <glib.h>
#include <jansson.h>

/* consent_requests.c: requests to a running SSH agent, and the answers of its user to questions
 * that wait: for `box consent`, and for `box net`, which answers those about the network. */

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

/* consent_show.c: what `box consent` prints for people. Much of it a box has said: nothing goes out
 * unescaped. */

void consent_show_status(const json_t *status);
/* {"keys": […], "grants": […]} of one box, for `box status`; nothing when there is neither. */
void consent_show_ssh(const json_t *ssh);
void consent_show_pending(const json_t *list);
/* The question whether the answer CHOICE is to be given to the request ITEM of such a list; NULL:
 * it cannot be read, or has no such choice. A new string. */
char *consent_show_request(const json_t *item, const char *choice);
void consent_show_grants(const json_t *list);
/* The last LINES entries of the log; AS_JSON: as they are. */
void consent_show_log(guint lines, gboolean as_json);
