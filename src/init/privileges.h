/*
 * What a session may never have (invariant 6). Called in the forked child, before exec; a call that
 * fails must end the child.
 */
#pragma once

#include "init/options.h"

/* Becomes the box's user with no capability in any set. 0, or -1 with errno. */
int privileges_become_user(const struct init_options *options);
/* Stays root of the box with the one capability to look into processes, for the guard. */
int privileges_become_guard(void);
/* Stays root of the box with exactly the capabilities of OPTIONS. */
int privileges_become_root(const struct init_options *options);
