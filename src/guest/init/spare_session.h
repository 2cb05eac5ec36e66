/*
 * A session's process that waits for a client, with the process of its command
 * (command_start_ahead()), so that no client waits for fork(2), for the guard's filter and for the
 * pages that a new process has to copy.
 *
 * It is like a session that PID 1 forks for a client, but for the moment: it knows the guards of
 * that moment, and no descriptor of another session. So it is used only while they are the same.
 */
#pragma once

#include <sys/types.h>

#include "guest/init/session.h"

/* Call once, first. CLOSE_IN_CHILD closes what PID 1 has open, apart from this module's. */
void spare_session_init(const struct init_options *options, void (*close_in_child)(void));

/* Milliseconds until spare_session_fork() is due, for poll(2). */
int spare_session_timeout(void);
/* Forks the process when it is due. */
void spare_session_fork(void);
/* Nobody waits for this process now: spare_session_fork() is due at once. */
void spare_session_hurry(void);

/*
 * Gives the process a client (SESSION_FROM_HOST): copies of CONNECTION and QUESTIONS (-1: none).
 * Returns its PID, which then is that of a session; -1 when there is no such process.
 */
pid_t spare_session_give(int connection, int questions, const struct session_info *info);

/* The child PID has ended: forgets it when it was the waiting one. */
void spare_session_ended(pid_t pid);
/* Closes PID 1's end of the socket to it: in another child, or to end it. */
void spare_session_close(void);
