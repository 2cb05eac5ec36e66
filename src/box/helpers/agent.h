/*
 * The client side of litterbox-ssh-agent: starts it and talks to its control socket. One agent
 * serves all boxes of the user and ends when none is running.
 */
#pragma once

#include <jansson.h>

#include "box/registry/registry.h"
#include "config/settings.h"
#include "proto/agent_control.h"
#include "proto/question_answer.h"

struct question; /* proto/question.h */

/* A connection to the agent's control socket; -1 when it is not running. */
int agent_connect(void);

/* A path in AGENT_FOLDER, a new string; TAIL may be NULL. NULL without a runtime folder. */
char *agent_path(const char *tail);

/* Waits for the answer to a request that was sent (proto/agent_control.h). NULL with ERROR, which
 * has the agent's message. */
json_t *agent_answer(int fd, GError **error);

/* The environment variables that the prompt needs to open a window; {} without a display. */
json_t *agent_display(void);

/* Tells the agent this process's display, and starts the agent if it does not answer. TRUE
 * when it is running, even if too busy to answer in time. FALSE with ERROR. BOX_NAME, of a box that
 * is open (NULL: none), gets this process's real agent where its own one has gone. */
gboolean agent_hello(const char *box_name, GError **error);

/* Starts the agent, or waits while another process starts it, and connects. -1 with ERROR. */
int agent_start(GError **error);

/* The folder on the host with the agent socket of the box NAME, which is mounted into the box; a
 * new string. NULL without a runtime folder. */
char *agent_box_folder(const char *name);

/* The folder with the sockets of sessions of the box NAME (proto/session_notice.h), a new string.
 * NULL without a runtime folder. */
char *agent_notice_folder(const char *name);

/*
 * Sends REQUEST, which it frees, and returns the answer. NULL with ERROR when the agent refuses;
 * with BOX_ERROR_NOT_FOUND when it is not running. START: starts it in that case. REQUEST NULL, as
 * of json_pack() with text that is not UTF-8, is an error, too.
 */
json_t *agent_call(json_t *request, gboolean start, GError **error);

/*
 * Call it when SELF has been started with the settings WANTED; CONNECTION leads to its PID 1.
 * Starts the agent if SELF may use keys. A failure is only a warning, because the box works without
 * keys.
 */
void agent_open_box(const struct box *self, const settings *wanted, int connection);

/* Restarts the agent of the running box SELF if it has died. Costs one round trip to the agent. */
void agent_ensure_running(const struct box *self);

/*
 * Asks the user and waits for the answer: in a window, or without a display or a working agent on
 * the terminal of this process, if the kind has a line for it (question_traits.terminal). TRUE:
 * allowed.
 */
gboolean agent_ask(const struct question *asked);
/* Asks in a window (or, for a kind that waits, wherever the user answers), in two steps. Returns a
 * connection to the agent that becomes readable with the answer; -1 for QUESTION_ANSWER_NOBODY.
 * Closing it withdraws the question. */
int agent_ask_begin(const struct question *asked);
/* Reads the answer and closes FD. */
enum question_answer agent_ask_end(int fd);

/* Removes SELF's attached keys, grants and socket. Call it when SELF is removed. */
void agent_forget_box(const struct box *self);

/* Gives FROM's attached keys to TO, which is the same box under its new name. FROM does not run. It
 * may have been done before. */
gboolean agent_rename_box(const struct box *from, const struct box *to, GError **error);

/* The keys that SELF may use: attached ones and those of WANTED (may be NULL). A new array of
 * {"fingerprint", "label"}, in which one of the two may be missing. */
json_t *agent_list_keys(const struct box *self, const settings *wanted);

/* The socket of the user's own agent, from WANTED or SSH_AUTH_SOCK; a new string. NULL: none. */
char *agent_upstream_socket(const settings *wanted);

/* TRUE when SELF has keys attached by `box keys attach`. */
gboolean agent_has_attached_keys(const struct box *self);
