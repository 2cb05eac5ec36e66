/*
 * PID 1's table of the box's running sessions. A client is turned away when the table is full, or
 * when no process can be forked.
 */
#pragma once

#include <sys/types.h>

#include "guest/init/session.h"

/* Call once, first. CLOSE_OF_PID_1 closes PID 1's own descriptors in each forked child. */
void session_table_init(const struct init_options *options, void (*close_of_pid_1)(void));

/*
 * Forks a session for the client behind CONNECTION, which is closed here. PEER is the client's PID
 * in the box; for SESSION_FROM_SUDO alone, else 0.
 */
void session_table_start(int connection, enum session_origin origin, int peer,
                         struct session_info info);
/* Forks the session of the bus that listens on SOCKET; it is not counted. Its PID, or -1. */
pid_t session_table_start_bus(int socket, struct session_info info);

/* Sends each session SIGNAL. */
void session_table_signal(int signal);
/* How many sessions run, without the bus. */
int session_table_count(void);
/* The child PID has ended. 1 when it was a counted session. */
int session_table_ended(pid_t pid);
