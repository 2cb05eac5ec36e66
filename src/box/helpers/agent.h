/*
 * The SSH agent as `box` sees it: whether a box needs it, its start, and its control socket. One
 * agent serves all boxes of the user; it ends by itself when none runs.
 */
#pragma once

#include <jansson.h>

#include "box/registry/registry.h"
#include "config/settings.h"
#include "proto/question_answer.h"

struct question; /* proto/question.h */

/* Its folder in the runtime folder: no box can be called that. */
#define AGENT_FOLDER ".agent"

/* A connection to its control socket; -1 when none runs. */
int agent_connect(void);

/* A path in that folder, a new string; NULL when there is no runtime folder. */
char *agent_path(const char *tail);

/* Waits for the answer to a request that was sent (proto/json_line.h); NULL with ERROR, the agent's
 * own words. */
json_t *agent_answer(int fd, GError **error);

/* What a prompt needs of our environment to find the display; {} when there is none. */
json_t *agent_display(void);

/* Tells the agent our display, and starts it when none answers. TRUE: one runs, though it may be
 * too busy to answer at once. FALSE with ERROR. */
gboolean agent_hello(GError **error);

/* Starts it and connects; when somebody else is just doing so, waits for theirs. -1 with ERROR. */
int agent_start(GError **error);

/* The folder of SELF's socket on the host, which is mounted into the box; a new string. NULL: the
 * runtime folder cannot be had. */
char *agent_box_folder(const char *name);

/*
 * Asks the agent: REQUEST is taken. NULL with ERROR when it says no, or none runs (then
 * BOX_ERROR_NOT_FOUND, unless START is set: then one is started).
 */
json_t *agent_call(json_t *request, gboolean start, GError **error);

/*
 * SELF has just been started as WANTED says, and CONNECTION leads to its PID 1. Starts the agent
 * when there is a key for it to offer. A failure is a warning: the box works without.
 */
void agent_open_box(const struct box *self, const settings *wanted, int connection);

/* SELF runs already: should its agent have died, starts it again. Costs one round trip to it. */
void agent_ensure_running(const struct box *self);

/*
 * Asks the user ASKED in a window, and waits for the answer. QUESTION_ANSWER_NOBODY: there is no
 * display, or the agent does not work, so a terminal has to do.
 */
enum question_answer agent_ask(const struct question *asked);
/* The same in two steps: the descriptor of the agent's connection, which is readable once the
 * answer is there; -1 where nobody can be asked. Closing it takes the question back. */
int agent_ask_begin(const struct question *asked);
/* Closes FD. */
enum question_answer agent_ask_end(int fd);

/* SELF is removed: what was attached to it, and its socket, go. */
void agent_forget_box(const struct box *self);

/* The file of what `box keys attach` attached to the box NAME: "SHA256:… LABEL" a line. */
char *agent_attached_path(const char *name);

/* The keys that SELF may ask for once it runs: attached ones and those of WANTED (may be NULL), a
 * new array of {"fingerprint", "label"}, where one of the two may be missing. */
json_t *agent_list_keys(const struct box *self, const settings *wanted);

/* The real agent's socket as WANTED or the environment names it; NULL when there is none. */
char *agent_upstream_socket(const settings *wanted);

/* TRUE when SELF has keys attached by `box keys attach`. */
gboolean agent_has_attached_keys(const struct box *self);
