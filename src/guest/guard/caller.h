/* What /proc says of a caller, beside what its call says: read when it is needed. */
#pragma once

#include "guest/guard/held_call.h"

/* The caller's status, read at most once. 0, or an errno. */
int guard_caller_know(struct guard_request *self);
/* Reads it anew, for signals. 0, or an errno. */
int guard_caller_refresh(struct guard_request *self);
/* What TEXT, that of /proc/PID/status, says: a pure function. 0, or -1 when it lacks something. */
int guard_status_parse(struct guard_status *self, const char *text);
/* The status of the process PID. 0, or -1 when it has none any more. */
int guard_status_read(struct guard_status *self, pid_t pid);
/* The number of the processor that the thread PID runs on, or ran on; -1 when there is no telling.
 */
int guard_caller_processor(pid_t pid);
/*
 * 1 when the request's length is more than the caller may give a file (RLIMIT_FSIZE), which has got
 * SIGXFSZ then, as from the kernel.
 */
int guard_caller_exceeds_size(struct guard_request *self);
/* The number of the caller's controlling terminal in /dev/pts, or -1. */
int guard_caller_terminal(const struct guard_request *self);
/* 1 when the caller leads a session that has no controlling terminal. */
int guard_caller_leads_without_terminal(struct guard_request *self);
/* 1 when the caller's FD is an O_PATH one, with which only a few calls work. */
int guard_caller_is_path_only(const struct guard_request *self, int fd);
