/*
 * The agent's folder in the runtime folder:
 *
 *   .agent/agent.lock    held while an agent runs (host/supervisor/helper_lock.h)
 *   .agent/agent.log     its log, when `box` has started it
 *   .agent/control       the control socket
 *   .agent/boxes/NAME/   mounted into the box; contains `socket` and nothing else
 *   .agent/open/NAME     the record of an open box: the request that opened it, for the next agent
 *   .agent/locked        exists while `box consent lock` is in effect, which outlasts an agent
 *
 * It cannot be taken for a box's folder, as names of boxes do not begin with a dot.
 */
#pragma once

#include <glib.h>
#include <jansson.h>
#include <sys/types.h>

#include "proto/agent_control.h"

/* Creates the folders. FALSE with ERROR. */
gboolean socket_paths_open(GError **error);
/*
 * Takes the lock, in an agent without a supervisor; call it after socket_paths_open(). FALSE with
 * ERROR when another agent runs. An agent that `box` has started gives way to one that systemd
 * starts, which has the control socket already, and reads the records of the first.
 */
gboolean socket_paths_take_lock(GError **error);
/* A listening socket in the folder of BOX, which is created if it is missing; -1 with errno. */
int socket_paths_listen_box(const char *box, int backlog);
/* The listening control socket: systemd's, when it has started the agent with one, or a new one; -1
 * with errno. */
int socket_paths_listen_control(void);
/* Removes the control socket, unless it is another agent's by now. */
void socket_paths_close(void);

/* Creates or removes .agent/locked. FALSE with errno. */
gboolean socket_paths_set_locked(gboolean locked);
gboolean socket_paths_are_locked(void);

/* Writes the record of BOX, which REQUEST has opened, and whose PID 1 is PID. */
void socket_paths_save_box(const char *box, const json_t *request, pid_t pid);
void socket_paths_forget_box(const char *box);
/* Calls EACH for the record of each box that still runs, and removes the others. */
void socket_paths_each_box(void (*each)(const json_t *request, gpointer data), gpointer data);
