/*
 * The control socket: `box`, `box agent` and `box keys` to the agent. One JSON object a line, one
 * line of answer each: {"ok":true,…} or {"ok":false,"error":"sentence"}. Never mounted into a box,
 * in a folder that only the user may enter, and only the user's own processes are answered.
 */
#pragma once

#include "ssh-agent/agent/agent.h"

#define CONTROL_LINE_MAX (256 * 1024)
#define CONTROL_CLIENTS_MAX 64

typedef struct control_client control_client;

/* Starts to answer on FD, a listening socket (taken). */
void control_begin(agent *self, int fd);
/* TRUE while somebody is connected. */
gboolean control_is_busy(void);

/* control_ops.c: the answer to REQUEST, a new reference; NULL when it will come later, by
 * control_answer(). */
json_t *control_do(agent *self, control_client *from, const json_t *request);
/* Takes ANSWER. */
void control_answer(control_client *self, json_t *answer);
/* Called when the client goes away before its answer came. */
void control_on_gone(control_client *self, void (*gone)(gpointer data), gpointer data);

/* The descriptor that came with the request, the caller's now; -1: none. */
int control_take_given(control_client *self);

json_t *control_ok(void);
json_t *control_error(const char *format, ...) G_GNUC_PRINTF(1, 2);
