/*
 * Starts helpers: programs that keep running when `box` has ended, each under a supervisor
 * (supervise.h).
 */
#pragma once

#include <glib.h>

#include "common/error.h"
#include "host/supervisor/helper_lock.h"

/* A row for each helper. */
struct helper {
    const char *name;     /* of its lock and its log in the folder that it works in */
    const char *program;  /* in libexec */
    int timeout_ms;       /* for the start, including the end of an older helper */
    gboolean keeps_umask; /* for programs of the user that it starts; else it is 077 */
};

enum helper_status {
    HELPER_READY,     /* started; RESULT is the line of worker_ready() */
    HELPER_RUNNING,   /* it served already */
    HELPER_DONE,      /* it had nothing to serve and has ended; RESULT says why */
    HELPER_TIMEOUT,   /* something that it needs did not answer; it has ended */
    HELPER_NOT_READY, /* ERROR is set */
};

struct helper_request {
    const char *folder;           /* absolute; created with mode 0700 */
    pid_t box;                    /* PID 1 of its box; 0 for none */
    const char *const *arguments; /* behind the program's name, NULL-terminated */
};

/*
 * Makes sure that the helper serves REQUEST. If it does not run, starts it detached from the
 * caller's terminal, folder and descriptors, with a pidfd of the box as stdin, and waits until it
 * is ready, has ended, or its timeout is over. A helper of an earlier run of the box is about to
 * end: waits for that. A helper that pauses after a crash is told to restart at once.
 *
 * *RESULT (may be NULL) is a new string, "" unless the status says otherwise. The caller frees it.
 */
enum helper_status helper_start(const struct helper *self, const struct helper_request *request,
                                char **result, GError **error);

/* TRUE when the helper serves the box whose PID 1 is BOX (0: any). Four system calls. */
gboolean helper_is_running(const struct helper *self, const char *folder, pid_t box);
/* TRUE also when it is starting, or pauses after a crash. */
gboolean helper_is_supervised(const struct helper *self, const char *folder, pid_t box);

/* Path of its log, for messages; a new string. */
char *helper_log_path(const struct helper *self, const char *folder);

/* Ends a helper for good, with its worker. */

/*
 * Sends SIGTERM to the supervisor of the helper NAME that works in FOLDER, and waits until both are
 * gone. TRUE when there is none, then or from the beginning; FALSE after five seconds.
 */
gboolean helper_stop(const char *folder, const char *name);
/* The same for every helper that has a lock in FOLDER. */
gboolean helper_stop_all(const char *folder);
