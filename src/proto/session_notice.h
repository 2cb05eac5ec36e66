/*
 * Notices: what helpers have to say to the person at a session of a box, such as how to answer a
 * request that waits. Each client of a session binds a datagram socket in the user's runtime
 * folder, where no box comes. A datagram is a text of at most NOTICE_MAX bytes, in lines, which the
 * client makes harmless before it shows them.
 *
 * The sockets of a box are in a folder that is called like it, as a box that shares the host's
 * network can read the names of sockets, but not of their folders, in /proc/net/unix.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

/* In AGENT_FOLDER (agent_control.h): has a folder for each box. */
#define NOTICE_FOLDER "notices"
/* Longest text in bytes. */
#define NOTICE_MAX 2048
/* Most lines that are shown. */
#define NOTICE_LINES 4

/* No terminal: of a session, or of a process. */
#define NOTICE_NO_TERMINAL (-1)

/*
 * The name of the socket of the client CLIENT (its PID) of a session that has the pty
 * /dev/pts/TERMINAL of the box, or NOTICE_NO_TERMINAL. A new string.
 */
char *notice_name(int terminal, int client);
/* The terminal in NAME. FALSE: it is no such name. */
gboolean notice_name_parse(const char *name, int *terminal);

/*
 * Sends TEXT to the session of BOX on whose terminal the process ASKER (0: unknown) is. Without
 * such a session: to those without a terminal; to all of the box if there are none. FALSE: nobody
 * listens.
 */
gboolean notice_send(const char *box, pid_t asker, const char *text);
/* The same to all sessions of BOX. */
gboolean notice_send_to_all(const char *box, const char *text);
