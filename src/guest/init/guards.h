/* The guards of reserved names (guest/guard/guard.h): one for the user's sessions, one for those of
 * root.
 */
#pragma once

#include "guest/common/options.h"

/*
 * In PID 1: starts those that are needed and not there. 0, or -1 with errno: then sessions fail
 * until it has worked, as none runs without its guard.
 */
int guards_start(const struct init_options *options);
/*
 * In PID 1: a child has ended. 1 when it was a guard, whose sessions can make no files any more;
 * new ones need another.
 */
int guards_ended(int pid, int status);

#define GUARDS 2
/* The pids of all; 0 or -1: not there. */
const int *guards_pids(void);

/*
 * In a session's child, last before exec: from now on its guard holds and does its calls. 0, also
 * when no name is reserved; -1 with errno: then the command must not be run.
 */
int guards_hold(const struct init_options *options, int root);
