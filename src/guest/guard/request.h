/*
 * One held call: all that it says and all that its caller is, copied once. Whatever the caller
 * changes afterwards changes nothing any more.
 */
#pragma once

#include <limits.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <sys/types.h>

#include "guest/common/init_options.h"
#include "guest/guard/calls.h"
#include "guest/guard/guard.h"
#include "guest/guard/names.h"
#include "guest/guard/status.h"

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

struct guard_request {
    const struct init_options *options;
    enum guard_kind kind;
    struct guard_list list;
    int listener;
    uint64_t id;
    int pid; /* of the thread */

    enum guard_act act;
    struct guard_path made, old;
    int flags;
    mode_t mode;
    uint64_t resolve; /* GUARD_OPEN_HOW: as of openat2(2) */
    uint64_t number;
    int fleeting; /* that the guard holds what it opened a moment longer is nothing to anybody */

    int knows; /* STATUS has been read */
    struct guard_status status;
    struct guard_view view;
};

/*
 * Fills SELF from NOTICE. 0, or the errno that the call gets: then there is nothing to release.
 * Needs the right to look into processes (guest/guard/rights.h).
 */
int guard_request_read(struct guard_request *self, const struct seccomp_notif *notice);
void guard_request_release(struct guard_request *self);

/* The caller's status, read at most once. 0, or an errno. */
int guard_request_know(struct guard_request *self);
/* Reads it anew, for signals. 0, or an errno. */
int guard_request_refresh(struct guard_request *self);
/* 1 while the caller still waits for its answer. */
int guard_request_waits(const struct guard_request *self);
/* The caller's descriptor FD, O_PATH; -1 with errno. Needs the right to look into processes. */
int guard_request_descriptor(const struct guard_request *self, int fd);
/* The number of the caller's controlling terminal in /dev/pts, or -1. */
int guard_request_terminal(const struct guard_request *self);
