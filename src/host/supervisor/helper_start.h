/*
 * Helpers, as `box` starts them: programs of ours that go on when `box` has ended, each under a
 * supervisor (supervise.h).
 */
#pragma once

#include "common/error.h"
#include "host/supervisor/helper_lock.h"

/* A row for each helper. */
struct helper {
    const char *name;     /* of its lock and its log in the folder that it works in */
    const char *program;  /* in libexec */
    int timeout_ms;       /* for its start, the end of an older one included */
    gboolean keeps_umask; /* the caller's, for programs of the user that it starts; else 077 */
};

enum helper_status {
    HELPER_READY,     /* it serves; RESULT is what it has said about that */
    HELPER_RUNNING,   /* one serves that was there before */
    HELPER_DONE,      /* it had nothing to serve, and has ended; RESULT says why */
    HELPER_TIMEOUT,   /* what it depends on does not answer; it has ended */
    HELPER_NOT_READY, /* ERROR is set */
};

struct helper_request {
    const char *folder;           /* absolute; is made, for its owner alone */
    pid_t box;                    /* PID 1 of the box that it serves; 0: none */
    const char *const *arguments; /* behind the program's name, NULL-terminated */
};

/*
 * Sees to it that the helper serves REQUEST: starts it unless it does, away from the caller's
 * terminal, folder and descriptors, with a pidfd of the box as its stdin, and waits until it is
 * ready, has ended, or its timeout is over. A helper that works for another run of the box is about
 * to end, and is waited for. One that pauses behind a crash is told to try at once.
 *
 * *RESULT (may be NULL) is a new string, "" unless the status says otherwise.
 */
enum helper_status helper_start(const struct helper *self, const struct helper_request *request,
                                char **result, GError **error);

/* TRUE when the helper serves the box whose PID 1 is BOX (0: any). Four system calls. */
gboolean helper_is_running(const struct helper *self, const char *folder, pid_t box);
/* TRUE when it does, is starting, or will be started again by its supervisor. */
gboolean helper_is_supervised(const struct helper *self, const char *folder, pid_t box);

/* Path of its log, for messages; a new string. */
char *helper_log_path(const struct helper *self, const char *folder);
