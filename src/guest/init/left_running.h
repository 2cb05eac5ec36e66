/*
 * What sessions have left running in the box: tmux, nohup, a server. It holds up the box's idle
 * stop
 * ([box] keep_alive).
 *
 * The kernel says what that is. PID 1's children are its own (sessions, the guards, the session
 * bus) and orphans: what is left of sessions that have ended. So these count, with all below them.
 * Nothing below PID 1's own counts, but for a program on a terminal below the session bus: that is
 * a shell of a terminal emulator which the bus has started.
 *
 * Of the orphans some do not count, which programs start unasked, and again when they need them:
 * agents that keep keys, and parts of a desktop (left_running.c has the list). They go by name. A
 * program of the box can call itself so, or not to be one of them: then the box stops or stays,
 * which any program of it can bring about anyway, and `box stop` ends it.
 */
#pragma once

#include "guest/common/init_options.h"
#include "proto/session.h"

/* How the process of the session bus's session is called, by which it is known. */
#define BUS_PROCESS_NAME "box-bus"

/*
 * A short look, for a session that has ended and has no children: 0 when nothing is left running, 1
 * when left_running_find() is to tell.
 */
int left_running_may_be(void);
/*
 * Finds what is left running. 0, or -1 when the processes cannot be listed. The caller, if it is
 * not PID 1, is a session that has ended.
 */
int left_running_find(const struct init_options *options, struct session_left *left);
