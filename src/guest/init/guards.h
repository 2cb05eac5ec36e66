/* The guards of protected names (guest/guard/guard.h), as PID 1 runs them: one for sessions of the
 * user, one for sessions of root. */
#pragma once

#include "guest/common/init_options.h"

/*
 * In PID 1: starts the guards that are needed and do not run. 0, or -1 with errno; then no session
 * can start until a later call succeeds, as none runs without its guard.
 */
int guards_start(const struct init_options *options);
/*
 * In PID 1: the child PID has ended with STATUS (waitpid(2)). The kind of the guard that it was, or
 * -1: its running sessions can make no files any more (ENOSYS), and new ones need another guard.
 */
int guards_ended(int pid, int status);

/* Another number after each start and end of a guard: who has been forked before knows others. */
unsigned guards_generation(void);

#define GUARDS 2
/* The PIDs of all guards; 0 or -1: not running. */
const int *guards_pids(void);

/*
 * In a session's child, last before exec: from now on its guard handles the held system calls. 0,
 * also when no name is protected; -1 with errno: then the command must not be run.
 */
int guards_attach(const struct init_options *options, int root);
