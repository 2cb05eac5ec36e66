/*
 * With whose rights the guard acts. It looks into processes with CAP_SYS_PTRACE and does nothing
 * else with it: whatever a caller's path leads to is looked up and opened with the caller's rights.
 *
 * The callers of a user's guard are the box's user without any capability, and can never be
 * anything else. Those of root's guard may be anybody at any time (apt's downloads, su): each call
 * is done as who its caller is at that moment.
 */
#pragma once

#include "guest/guard/held_call.h"

/* Once, when the guard starts. 0, or -1 with errno. */
int guard_rights_begin(const struct init_options *options, enum guard_kind kind);
/* Until the next call of the other: to look into processes; to act as the caller of REQUEST. */
int guard_rights_look(enum guard_kind kind);
int guard_rights_act(const struct guard_request *request);
/* In a process of its own, for good: enters the caller's view and rights. 0, or -1 with errno. */
int guard_rights_enter_view(const struct guard_request *request);
