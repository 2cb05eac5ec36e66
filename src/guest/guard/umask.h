/*
 * The umask of a caller, which is to apply to what the guard makes for it.
 *
 * The kernel tells it in /proc/PID/status alone, and to write that text takes longer than to make a
 * file. So umask(2) is held as well, and let go on (its argument is a number, which nothing can
 * change meanwhile): a umask that was read once stays true for a process until any process calls
 * umask(2). Only where one has been let go on and may not have happened yet, each is read anew.
 */
#pragma once

#include "guest/guard/request.h"

/* Before the first worker: what is known is shared by all. 0, or -1 with errno. */
int guard_umask_begin(void);
/* A held umask(2), before it goes on. */
void guard_umask_changes(const struct guard_request *request);
/* Makes the caller's umask this process's. 0, or an errno. */
int guard_umask_take(struct guard_request *request);
