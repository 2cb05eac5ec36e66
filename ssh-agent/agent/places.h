/*
 * The agent's folder in the runtime folder:
 *
 *   .agent/lock            held as long as an agent lives
 *   .agent/control         the socket of `box agent` and `box keys`
 *   .agent/boxes/NAME/     what is mounted into a box: nothing but `socket`
 *   .agent/open/NAME       the request that opened the box, for an agent after us
 *   .agent/locked          is there while `box agent lock` holds, which outlives an agent
 *
 * A name of a box cannot begin with a dot, so none can get in the way.
 */
#pragma once

#include <glib.h>
#include <jansson.h>
#include <sys/types.h>

#define PLACES_FOLDER ".agent"

/*
 * Makes the folders and takes the lock. FALSE with ERROR when another agent lives. One that `box`
 * has started gives way to one that systemd starts, which has the control socket already: what
 * it served is in the folders.
 */
gboolean places_begin(GError **error);
/* A listening socket in the folder of BOX, which is made when missing; -1 with errno. */
int places_listen(const char *box, int backlog);
/* The control socket, likewise; systemd's own when it has started us by it. */
int places_listen_control(void);
/* Takes away what would only mislead: the control socket, unless it is another's by now. */
void places_end(void);

/* FALSE with errno when that cannot be noted. */
gboolean places_lock(gboolean locked);
gboolean places_are_locked(void);

/* Writes REQUEST down as that of BOX, whose PID 1 is PID now. */
void places_record(const char *box, const json_t *request, pid_t pid);
void places_forget(const char *box);
/* Each record whose process still is what it was; the others are removed. */
void places_each_record(void (*each)(const json_t *request, gpointer data), gpointer data);
