/*
 * The supervisor of a helper. The main() of each helper program calls supervise().
 *
 * A helper is two processes of one program. The supervisor holds the helper's lock, writes its log,
 * watches the box, and forks the worker, which does the work (worker.h). When a worker crashes, the
 * supervisor executes itself again and forks the next one after a pause, which grows. So the next
 * worker has new addresses and a new stack canary, and a box can make no use of what it has learnt
 * from a crash. From a box the supervisor gets only text that the worker passes on, for the log and
 * the caller. It stays small, and keeps the rights that a worker needs at its start. The worker
 * ends with the supervisor, however that ends. libc only.
 *
 * helper_start() (helper_start.h) provides stdin and stdout. A worker has /dev/null as both, the
 * log as stderr, and ignores SIGPIPE.
 */
#pragma once

#include <stdint.h>

#include "host/supervisor/worker.h"

/* The caller keeps all of it as long as the process lives. */
struct supervised {
    const char *name;    /* of the lock and the log: "port" */
    const char *program; /* for messages: "litterbox-port" */
    const char *records; /* name of a second log, of what it has done (worker_record()); or NULL */
    int records_folder;  /* that has it: a descriptor, O_PATH is enough */
    const char *alarms;  /* the name of the box whose user hears of alarms (alarm.h); or NULL */
    const char *run;     /* of the box, see helper_lock.h */
    char **argv;         /* of main() */
    int keeps;           /* whether a descriptor outlives workers (worker_keep()) */
    int folder;          /* that has lock and log: a descriptor, O_PATH is enough */
    int box;             /* a pidfd of the box's PID 1, with which the helper ends; -1 for none */
    const struct stage *stages;
    void *data; /* for the stages */
};

/* Returns only when the supervisor cannot start: its exit status. */
int supervise(const struct supervised *self);

/*
 * Exponential back-off: milliseconds until a worker that has lived for LIVED_MS is started again.
 * FAILURES counts the crashes in a row and is 0 at first. The first pause is RESTART_MIN_MS; each
 * further one is twice as long, up to RESTART_MAX_MS. A life of RESTART_RESET_MS resets the count.
 */
#define RESTART_MIN_MS 100
#define RESTART_MAX_MS 30000
#define RESTART_RESET_MS 60000
int restart_delay(unsigned *failures, int64_t lived_ms);
