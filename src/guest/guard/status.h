/* What /proc/PID/status says that the guard needs. A pure function over its text. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#define GUARD_GROUPS_MAX 256
#define GUARD_LEVELS_MAX 33 /* of nested pid namespaces; the kernel has 32 */

struct guard_status {
    pid_t tgid;
    uid_t fsuid;
    gid_t fsgid;
    mode_t mask; /* umask */
    gid_t groups[GUARD_GROUPS_MAX];
    int group_count;
    pid_t pids[GUARD_LEVELS_MAX]; /* the thread in each pid namespace, ours first */
    int level_count;
    pid_t own_tgid; /* its process in its own pid namespace: what getpid(2) says there */
    uint64_t caps;  /* effective */
    int threads;
    /* Signals that are not blocked: pending for the thread, and for any thread of its process;
     * those that have a handler. */
    uint64_t pending, shared_pending, caught;
};

/* 0, or -1 when TEXT lacks something. */
int guard_status_parse(struct guard_status *self, const char *text);
