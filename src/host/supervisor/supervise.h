/*
 * The supervisor of a helper, from inside: what the main() of a helper program calls.
 *
 * A helper is two processes of one program. The supervisor holds the helper's lock, keeps its log,
 * watches the box, and forks the worker, which does the work (worker.h). A worker that crashes is
 * started again, with growing pauses, by a supervisor that has executed itself anew: the addresses
 * and stack canaries of the next worker are none that a box could have learnt from the last one.
 * The supervisor reads nothing of a box but, as text for the log and for the caller, what the
 * worker sends; it stays small, and keeps the rights that a worker needs at its start. However the
 * supervisor ends, the worker ends with it. libc only.
 *
 * Its stdin and stdout are what helper_start() gives it (helper_start.h). A worker has nothing on
 * both, the log on stderr, and ignores SIGPIPE.
 */
#pragma once

#include <stdint.h>

#include "host/supervisor/worker.h"

/* All of it is needed as long as the process lives. */
struct supervised {
    const char *name;    /* of the lock and the log: "port" */
    const char *program; /* for messages: "litterbox-port" */
    const char *run;     /* of the box, see helper_lock.h */
    char **argv;         /* of main() */
    int folder;          /* where lock and log lie: a descriptor, O_PATH will do */
    int box;             /* a pidfd of the box's PID 1, with which the helper ends; -1: none */
    const struct stage *stages;
    void *data; /* for the stages */
};

/* Returns the exit status of the supervisor, when it cannot start. A worker does not return. */
int supervise(const struct supervised *self);

/*
 * Milliseconds until a worker that has lived for LIVED_MS is started again. FAILURES, at first 0,
 * counts the crashes in a row: the first costs RESTART_LEAST_MS, each more twice as long, at most
 * RESTART_MOST_MS. A life of RESTART_CALM_MS begins the count anew.
 */
#define RESTART_LEAST_MS 100
#define RESTART_MOST_MS 30000
#define RESTART_CALM_MS 60000
int restart_delay(unsigned *failures, int64_t lived_ms);
