/*
 * Opens and closes boxes. An open box has a folder that is mounted into it, with the socket for its
 * programs. It closes when its PID 1 ends.
 */
#pragma once

#include "ssh-agent/agent/agent_box.h"

/* Connections of one box at a time; further ones are closed at once. */
#define BOX_CLIENTS_MAX 1024

/*
 * Opens a box, or changes an open one, as REQUEST (op "box-open" of the control socket) says.
 * Returns the indices of the request's keys that are no keys, a new array; NULL with ERROR.
 */
json_t *boxes_open(agent *self, const json_t *request, GError **error);
/* Closes its connections, withdraws its questions and ends its grants. FALSE: it is not open. */
gboolean boxes_close(agent *self, const char *name);
/* Opens the boxes that an earlier agent has left open and that still run. */
void boxes_restore(agent *self);
/* Frees a box at the agent's end: its socket goes, its record stays for the next agent. */
void boxes_free(gpointer box);
