/* Starting the SSH agent, and reaching it. */
#pragma once

#include <jansson.h>

#include "common/error.h"

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
