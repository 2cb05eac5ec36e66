/*
 * One held call: all that it says and all that its caller is, copied once. Whatever the caller
 * changes afterwards changes nothing any more.
 */
#pragma once

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

#include "guest/common/privileges.h"
#include "guest/guard/filter.h"
#include "guest/guard/protected_names.h"

/* Of pidfd_open(2), since Linux 6.9. */
#define GUARD_PIDFD_THREAD 0200

/* A path, and the O_PATH descriptor that it starts from: AT_FDCWD for an absolute one. */
struct guard_path {
    int base;
    char text[PATH_MAX];
};

/* The caller's own view of the file system, when it is not the guard's. */
struct guard_view {
    int abroad; /* 1: descriptors below are open */
    int root, cwd, pidfd;
    int namespaces; /* CLONE_NEW… flags of those that differ */
};

#define GUARD_GROUPS_MAX 256
#define GUARD_LEVELS_MAX 33 /* of nested pid namespaces; the kernel has 32 */

/* What /proc/PID/status says of the caller that the guard needs (guest/guard/caller.h). */
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

struct guard_request {
    /* The same for all calls of a worker. */
    const struct init_options *options;
    enum guard_kind kind;
    const struct protected_names *names;

    int listener;
    uint64_t id;
    int pid; /* of the thread */

    enum guard_act act;
    struct guard_path made, old;
    int cwd;   /* the caller's working folder, O_PATH, once a path starts from it; or negative */
    int flags; /* GUARD_BIND: the domain of the socket */
    mode_t mode;
    uint64_t resolve; /* GUARD_OPEN_HOW: as of openat2(2) */
    uint64_t number;
    void *value;     /* GUARD_SETXATTR, GUARD_BIND: NUMBER bytes; NULL for none */
    int lingers;     /* the guard may hold what it opened a moment longer (guest/guard/answer.h) */
    int truncates;   /* what was opened is to be emptied, once the caller has it */
    int is_answered; /* already */

    int knows; /* STATUS has been read */
    struct guard_status status;
    struct guard_view view;
};
