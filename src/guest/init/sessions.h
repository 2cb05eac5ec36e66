/* The sessions of a box, as PID 1 sees them: who runs, how many, and who is asked for whom. */
#pragma once

#include <sys/types.h>

#include "guest/init/session.h"

/*
 * Once, before the first. In each forked child PID 1's own descriptors are closed by
 * CLOSE_OF_PID_1.
 */
void sessions_init(const struct init_options *options, void (*close_of_pid_1)(void));

/*
 * Forks a session for who is at the other end of CONNECTION, which it owns. PEER: session.h. Turns
 * the client away where there are too many, or no process can be had.
 */
void sessions_start(int connection, enum session_side side, int peer, struct session_info info);
/* Forks the session of the bus, which is not counted. Its pid, or -1. */
pid_t sessions_start_bus(int door, struct session_info info);

/* How many run. */
int sessions_count(void);
/* A child has ended. 1 when it was a counted session. */
int sessions_ended(pid_t pid);
