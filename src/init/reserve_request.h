/*
 * One held call: all that it says and all that its caller is, copied once. Whatever the caller
 * changes afterwards changes nothing any more.
 */
#pragma once

#include <limits.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <sys/types.h>

#include "init/options.h"
#include "init/reserve.h"
#include "init/reserve_calls.h"
#include "init/reserve_names.h"
#include "init/reserve_status.h"

/* A path, and the O_PATH descriptor that it starts from: AT_FDCWD for an absolute one. */
struct reserve_path {
    int base;
    char text[PATH_MAX];
};

/* The caller's own view of the file system, when it is not the guard's. */
struct reserve_view {
    int abroad; /* 1: descriptors below are open */
    int root, cwd, pidfd;
    int namespaces; /* CLONE_NEW… flags of those that differ */
};

struct reserve_request {
    const struct init_options *options;
    enum reserve_kind kind;
    struct reserve_list list;
    int listener;
    uint64_t id;
    int pid; /* of the thread */

    enum reserve_act act;
    struct reserve_path made, old;
    int flags;
    mode_t mode;
    uint64_t resolve; /* RESERVE_OPEN_HOW: as of openat2(2) */
    uint64_t number;
    int fleeting; /* that the guard holds what it opened a moment longer is nothing to anybody */

    int knows; /* STATUS has been read */
    struct reserve_status status;
    struct reserve_view view;
};

/*
 * Fills SELF from NOTICE. 0, or the errno that the call gets: then there is nothing to release.
 * Needs the right to look into processes (reserve_rights.h).
 */
int reserve_request_read(struct reserve_request *self, const struct seccomp_notif *notice);
void reserve_request_release(struct reserve_request *self);

/* The caller's status, read at most once. 0, or an errno. */
int reserve_request_know(struct reserve_request *self);
/* Reads it anew, for signals. 0, or an errno. */
int reserve_request_refresh(struct reserve_request *self);
/* 1 while the caller still waits for its answer. */
int reserve_request_waits(const struct reserve_request *self);
/* The caller's descriptor FD, O_PATH; -1 with errno. Needs the right to look into processes. */
int reserve_request_descriptor(const struct reserve_request *self, int fd);
/* The number of the caller's controlling terminal in /dev/pts, or -1. */
int reserve_request_terminal(const struct reserve_request *self);
