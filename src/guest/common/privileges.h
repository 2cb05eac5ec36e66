/*
 * What a session may never have (invariant 6). Called in the forked child, before exec; a call that
 * fails must end the child.
 */
#pragma once

#include "guest/common/init_options.h"

/* Becomes the box's user with no capability in any set. 0, or -1 with errno. */
int privileges_become_user(const struct init_options *options);
/*
 * Stays root of the box, so that no process of the user can signal or trace it. For sessions as the
 * user it acts as the user and may look into processes; for those as ROOT it also keeps what these
 * may hold and what it takes to act as any user.
 */
int privileges_become_guard(const struct init_options *options, int root);
/* Stays root of the box with exactly the capabilities of OPTIONS. */
int privileges_become_root(const struct init_options *options);

/* The capabilities that this process may hold, and setting them; the bounding set stays. */
uint64_t privileges_permitted(void);
int privileges_set(uint64_t permitted, uint64_t effective);
