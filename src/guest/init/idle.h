/*
 * When the box stops by itself: when for [box] idle_stop there was no session, and nothing that one
 * has left running ([box] keep_alive).
 *
 * What is left running are children of PID 1 with all below them. So PID 1 looks at the processes
 * when the last session has ended, when a child ends, and before it stops the box.
 */
#pragma once

#include "guest/common/init_options.h"
#include "proto/session.h"

/* Call once, first. */
void idle_init(const struct init_options *options);
/* A session that ran a command has ended. */
void idle_session_ended(void);
/* Any child of PID 1 has ended. */
void idle_child_ended(void);

/* For poll(2): milliseconds until idle_is_over() is to be called. */
int idle_timeout(void);
/* Looks at the processes if it is time to. 1 when the box must stop. */
int idle_is_over(void);
/* The answer to a QUERY, without what is left running. */
struct session_info idle_info(void);
