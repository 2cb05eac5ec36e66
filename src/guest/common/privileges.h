/*
 * The privileges of sessions (docs/architecture.md, invariant 6) and of guards. Call these in the
 * forked child, before exec, and end the child when a call fails.
 */
#pragma once

#include "guest/common/init_options.h"

/* Sessions as the user hold nothing; those as root of the box change their rights as they like. */
enum guard_kind { GUARD_FOR_USER, GUARD_FOR_ROOT };

/* In PID 1, before the others: reads once what each session would have to read. */
void privileges_begin(void);
/* Whether no process of the user can look into one that gives up root, before exec. */
int privileges_keep_memory(void);

/* Becomes the box's user with no capability in any set. 0, or -1 with errno. */
int privileges_become_user(const struct init_options *options);
/*
 * The same in two steps, of which the second is quick. In between the process is root's: no process
 * of the user can signal it, or change its limits. 0, or -1 with errno.
 */
int privileges_prepare_user(const struct init_options *options);
int privileges_complete_user(const struct init_options *options);
/*
 * Keeps UID 0 as its real and saved UID, so that no process of the user can signal or trace it, and
 * CAP_SYS_PTRACE to inspect processes of the box. The guard of user sessions acts as the user. The
 * guard of sessions as ROOT also keeps the capabilities of these sessions, and CAP_SETUID and
 * CAP_SETGID to act as any user.
 */
int privileges_become_guard(const struct init_options *options, int root);
/* Stays root of the box with exactly the capabilities of OPTIONS. */
int privileges_become_root(const struct init_options *options);

/* Get and set this process's permitted and effective capabilities; not the bounding set. */
uint64_t privileges_permitted(void);
int privileges_set(uint64_t permitted, uint64_t effective);
