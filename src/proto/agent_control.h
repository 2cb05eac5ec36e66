/* What `box` and litterbox-ssh-agent have in common: names in the user's runtime folder, and JSON
 * messages. */
#pragma once

#include <glib.h>
#include <jansson.h>

/* What the agent's lock and log are called (host/supervisor/helper_lock.h). */
#define AGENT_HELPER "agent"
/* The agent's folder. No box can have this name, as names of boxes do not begin with a dot. */
#define AGENT_FOLDER ".agent"
/* In it: the control socket, and the folders that are mounted into boxes, each called like its box.
 */
#define AGENT_CONTROL "control"
#define AGENT_BOXES "boxes"

/* Longest label of a key, in bytes, after text_safe_max(). */
#define AGENT_LABEL_MAX 128

/* A message is one JSON object in a line: OBJECT as one, a new string; an empty line where it
 * cannot be one. */
char *json_line(const json_t *object);
/* Sends it to the socket FD, which blocks. FALSE when not all of it was sent. */
gboolean json_line_send(int fd, const json_t *object);
